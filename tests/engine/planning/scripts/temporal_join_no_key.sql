INSERT INTO log SELECT p.product, o.id FROM orders o JOIN payments FOR SYSTEM_TIME AS OF o.ts AS p ON o.id = p.order_id;
