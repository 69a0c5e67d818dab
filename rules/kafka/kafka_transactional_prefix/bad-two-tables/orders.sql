CREATE TABLE t (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'orders', 'format' = 'json',
  'sink.delivery-guarantee' = 'exactly-once'
);
CREATE TABLE u (
  id STRING, amount INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'kafka:9092',
  'topic' = 'orders', 'format' = 'json',
  'sink.delivery-guarantee' = 'exactly-once'
);
CREATE TABLE made (id STRING, amount INT) WITH ('connector' = 'datagen');
INSERT INTO t SELECT * FROM made;
CREATE TABLE more (id STRING, amount INT) WITH ('connector' = 'datagen');
INSERT INTO u SELECT * FROM more;
