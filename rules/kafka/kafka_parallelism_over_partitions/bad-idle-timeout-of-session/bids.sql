SET 'parallelism.default' = '8';
SET 'table.exec.source.idle-timeout' = '30 s';
CREATE TABLE b (
  id STRING, amount TIMESTAMP(3), WATERMARK FOR amount AS amount - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'bids', 'format' = 'json', 'properties.group.id' = 'b'
);
CREATE TABLE p (id STRING, amount INT) WITH ('connector' = 'print');
INSERT INTO p SELECT * FROM b;
