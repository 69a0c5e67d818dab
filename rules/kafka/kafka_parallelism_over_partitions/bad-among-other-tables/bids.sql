SET 'parallelism.default' = '8';
CREATE TABLE a (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'asks', 'format' = 'json', 'properties.group.id' = 'b'
);
CREATE TABLE q (id STRING, amount INT) WITH ('connector' = 'print');
INSERT INTO q SELECT * FROM a;
CREATE TABLE c (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'bids', 'format' = 'json', 'properties.group.id' = 'b', 'scan.bounded.mode' = 'latest-offset'
);
CREATE TABLE r (id STRING, amount INT) WITH ('connector' = 'print');
INSERT INTO r SELECT * FROM c;
CREATE TABLE b (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'bids', 'format' = 'json', 'properties.group.id' = 'b'
);
CREATE TABLE p (id STRING, amount INT) WITH ('connector' = 'print');
INSERT INTO p SELECT * FROM b;
