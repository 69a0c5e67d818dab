INSERT INTO log SELECT product, COUNT(*) FROM orders GROUP BY product;
