INSERT INTO log SELECT product, id FROM (
  SELECT product, id, ROW_NUMBER() OVER (PARTITION BY product ORDER BY amount DESC) AS place FROM orders)
WHERE place <= 10;
