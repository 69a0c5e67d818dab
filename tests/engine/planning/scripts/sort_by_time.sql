INSERT INTO log SELECT product, id FROM orders ORDER BY ts;
