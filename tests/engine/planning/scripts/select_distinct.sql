INSERT INTO log SELECT DISTINCT product, customer FROM orders;
