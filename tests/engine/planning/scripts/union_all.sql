INSERT INTO log SELECT product, id FROM orders UNION ALL SELECT 'p', id FROM payments;
