INSERT INTO rows_of_db SELECT k, n FROM totals;
