INSERT INTO log SELECT product, id FROM orders UNION SELECT 'p', id FROM payments;
