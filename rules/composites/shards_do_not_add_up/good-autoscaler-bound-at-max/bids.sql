SET 'parallelism.default' = '2';
SET 'job.autoscaler.enabled' = 'true';
SET 'pipeline.max-parallelism' = '128';
SET 'job.autoscaler.vertex.max-parallelism' = '128';
CREATE TABLE b (id STRING) WITH ('connector' = 'kafka', 'topic' = 'bids', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka:9092', 'properties.group.id' = 'b');
CREATE TABLE p (id STRING) WITH ('connector' = 'print');
INSERT INTO p SELECT * FROM b;
