INSERT INTO totals SELECT product, id FROM orders GROUP BY product;
