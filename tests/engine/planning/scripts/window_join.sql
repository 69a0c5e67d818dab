INSERT INTO log SELECT o.product, p.id
FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) o
JOIN (SELECT * FROM TABLE(TUMBLE(TABLE payments, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) p
ON o.id = p.order_id AND o.window_start = p.window_start AND o.window_end = p.window_end;
