CREATE TABLE t (
  id STRING, speed INT
) WITH (
  'connector' = 'kinesis',
  'aws.region' = 'eu-west-1',
  'format' = 'json',
  'stream' = 'positions'
);
CREATE TABLE w (
  id STRING, speed INT
) WITH (
  'connector' = 'kinesis-legacy',
  'aws.region' = 'eu-west-1',
  'format' = 'json',
  'stream' = 'enriched'
);
INSERT INTO w SELECT * FROM t;
