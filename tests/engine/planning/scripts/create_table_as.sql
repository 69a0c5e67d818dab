CREATE TABLE copied WITH ('connector' = 'kafka', 'topic' = 'copied', 'format' = 'json') AS SELECT product, id FROM orders;
INSERT INTO log SELECT product, id FROM copied;
