INSERT INTO totals SELECT product, COUNT(DISTINCT customer) FROM orders GROUP BY product;
