SET 'parallelism.default' = '${N}';
CREATE TABLE b (id STRING) WITH ('connector' = 'kafka', 'topic' = 'bids', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka:9092', 'properties.group.id' = 'b');
CREATE TABLE p (id STRING) WITH ('connector' = 'print');
INSERT INTO p SELECT * FROM b;
