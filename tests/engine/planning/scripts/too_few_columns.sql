INSERT INTO log SELECT product FROM orders;
