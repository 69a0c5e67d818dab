INSERT INTO log SELECT product, id AS value FROM orders;
