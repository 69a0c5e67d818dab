"""The store of histories: layout, histograms, progress and the Spark session."""
