INSERT INTO changes SELECT c.name, p.id FROM orders o JOIN payments p ON o.id = p.order_id JOIN customers c ON o.customer = c.id;
