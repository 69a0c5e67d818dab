INSERT INTO log SELECT product, tags FROM orders;
