SET 'table.exec.mini-batch.enabled' = 'true';
INSERT INTO totals SELECT product, COUNT(*) FROM orders GROUP BY product;
