SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '1000';
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
INSERT INTO totals SELECT product, COUNT(*) FROM orders GROUP BY product;
