INSERT INTO log SELECT product, id FORM orders;
