INSERT INTO changes SELECT product, id FROM orders INTERSECT SELECT 'p', id FROM payments;
