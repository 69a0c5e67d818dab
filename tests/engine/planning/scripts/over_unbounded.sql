INSERT INTO log SELECT product, COUNT(*) OVER (PARTITION BY product ORDER BY ts) FROM orders;
