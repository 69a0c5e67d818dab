INSERT INTO changes SELECT k, n FROM totals;
