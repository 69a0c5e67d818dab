CREATE TABLE vans (
  id STRING, speed INT
) WITH (
  'connector' = 'kinesis',
  'aws.region' = 'eu-west-1',
  'format' = 'json',
  'stream' = 'vans'
);
CREATE TABLE t (
  id STRING, speed INT
) WITH (
  'connector' = 'firehose',
  'aws.region' = 'eu-west-1',
  'format' = 'json',
  'delivery-stream' = 'enriched'
);
INSERT INTO t SELECT * FROM vans;
