INSERT INTO totals SELECT product, COUNT(*) FROM orders GROUP BY product;
