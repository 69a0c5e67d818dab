INSERT INTO log SELECT product, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS place FROM (
    SELECT product, window_start, window_end, COUNT(*) AS n
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY product, window_start, window_end))
WHERE place <= 3;
