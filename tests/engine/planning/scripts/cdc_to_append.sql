INSERT INTO log SELECT name, id FROM customers;
