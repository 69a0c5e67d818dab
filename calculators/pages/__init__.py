"""HTML pages and SVG charts of histories, recommendations and backtests."""
