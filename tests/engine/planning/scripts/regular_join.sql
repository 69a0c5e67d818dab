INSERT INTO log SELECT o.product, p.id FROM orders o JOIN payments p ON o.id = p.order_id;
