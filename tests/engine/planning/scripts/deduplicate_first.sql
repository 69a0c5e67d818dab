INSERT INTO log SELECT product, id FROM (
  SELECT product, id, ROW_NUMBER() OVER (PARTITION BY product ORDER BY pt ASC) AS place FROM orders)
WHERE place = 1;
