INSERT INTO log SELECT r.currency, o.id FROM orders o JOIN rates FOR SYSTEM_TIME AS OF o.pt AS r ON o.product = r.currency;
