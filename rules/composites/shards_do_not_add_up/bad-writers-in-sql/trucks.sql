CREATE TABLE trucks (
  id STRING, speed INT
) WITH (
  'connector' = 'kinesis',
  'aws.region' = 'eu-west-1',
  'format' = 'json',
  'stream' = 'trucks'
);
CREATE TABLE t (
  id STRING, speed INT
) WITH (
  'connector' = 'kinesis',
  'aws.region' = 'eu-west-1',
  'format' = 'json',
  'stream' = 'enriched'
);
INSERT INTO t SELECT * FROM trucks;
