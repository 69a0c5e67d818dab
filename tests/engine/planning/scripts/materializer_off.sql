SET 'table.exec.sink.upsert-materialize' = 'NONE';
INSERT INTO totals SELECT product, n FROM (SELECT product, customer, COUNT(*) AS n FROM orders GROUP BY product, customer);
