INSERT INTO log SELECT product, score(id) FROM orders;
