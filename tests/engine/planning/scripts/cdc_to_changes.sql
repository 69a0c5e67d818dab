INSERT INTO changes SELECT name, id FROM customers;
