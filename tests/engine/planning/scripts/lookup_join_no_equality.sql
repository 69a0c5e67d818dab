INSERT INTO log SELECT p.category, o.id FROM orders o LEFT JOIN products FOR SYSTEM_TIME AS OF o.pt AS p ON o.product > p.product;
