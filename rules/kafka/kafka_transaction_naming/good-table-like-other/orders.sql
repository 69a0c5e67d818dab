SET 'execution.checkpointing.interval' = '5 s';
CREATE TABLE t (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'orders', 'format' = 'json',
  'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'o'
) LIKE base;
CREATE TABLE made (id STRING, amount INT) WITH ('connector' = 'datagen');
INSERT INTO t SELECT * FROM made;
