BEGIN STATEMENT SET;
INSERT INTO log SELECT product, id FROM orders;
INSERT INTO log SELECT product, price FROM orders;
END;
