INSERT INTO customers SELECT id, product, product FROM orders;
