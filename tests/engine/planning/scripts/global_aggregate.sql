INSERT INTO changes SELECT 'all', COUNT(*) FROM orders;
