BEGIN STATEMENT SET;
INSERT INTO log SELECT product, id FROM orders;
INSERT INTO totals SELECT product, COUNT(*) FROM orders GROUP BY product;
END;
