INSERT INTO log SELECT product, price FROM orders;
