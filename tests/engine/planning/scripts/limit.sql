INSERT INTO changes SELECT product, id FROM orders LIMIT 10;
