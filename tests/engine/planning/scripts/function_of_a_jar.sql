ADD JAR 'functions.jar';
CREATE FUNCTION score AS 'com.example.Score' USING JAR 'functions.jar';
INSERT INTO log SELECT product, score(id) FROM orders;
