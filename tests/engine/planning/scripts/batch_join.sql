SET 'execution.runtime-mode' = 'batch';
INSERT INTO rows_of_db SELECT a.category, COUNT(*) FROM products a JOIN products b ON a.product = b.category GROUP BY a.category;
