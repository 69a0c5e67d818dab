INSERT INTO totals SELECT product, id FROM (
  SELECT product, id, ROW_NUMBER() OVER (PARTITION BY product ORDER BY ts DESC) AS place FROM orders)
WHERE place = 1;
