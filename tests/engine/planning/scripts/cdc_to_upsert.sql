INSERT INTO rows_of_db SELECT name, id FROM customers;
