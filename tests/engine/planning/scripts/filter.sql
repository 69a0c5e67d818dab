INSERT INTO log SELECT product, id FROM orders WHERE amount > 10;
