INSERT INTO log SELECT tag, id FROM orders CROSS JOIN UNNEST(tags) AS t (tag);
