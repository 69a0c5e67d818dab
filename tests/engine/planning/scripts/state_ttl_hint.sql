INSERT INTO log SELECT /*+ STATE_TTL('o' = '1d', 'p' = '2d') */ o.product, p.id FROM orders o JOIN payments p ON o.id = p.order_id;
