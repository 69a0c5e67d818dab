CREATE TEMPORARY VIEW paid AS SELECT o.product, p.id FROM orders o JOIN payments p ON o.id = p.order_id;
INSERT INTO totals SELECT product, COUNT(*) FROM paid GROUP BY product;
