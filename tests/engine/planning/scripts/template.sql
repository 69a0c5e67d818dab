SET 'table.exec.state.ttl' = '${TTL}';
INSERT INTO log SELECT product, price FROM orders;
