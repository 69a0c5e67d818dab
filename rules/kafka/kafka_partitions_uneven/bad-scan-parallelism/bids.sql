CREATE TABLE b (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'bids', 'format' = 'json', 'properties.group.id' = 'b', 'scan.parallelism' = '3'
);
CREATE TABLE p (id STRING, amount INT) WITH ('connector' = 'print');
INSERT INTO p SELECT * FROM b;
