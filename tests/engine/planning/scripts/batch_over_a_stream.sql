SET 'execution.runtime-mode' = 'batch';
INSERT INTO log SELECT product, id FROM orders;
