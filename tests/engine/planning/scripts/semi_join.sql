INSERT INTO log SELECT product, id FROM orders WHERE id IN (SELECT order_id FROM payments);
