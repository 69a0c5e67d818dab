INSERT INTO totals SELECT country, COUNT(*) FROM customers GROUP BY country;
