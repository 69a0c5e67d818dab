INSERT INTO totals SELECT o.product, p.id FROM orders o LEFT JOIN payments p ON o.id = p.order_id;
