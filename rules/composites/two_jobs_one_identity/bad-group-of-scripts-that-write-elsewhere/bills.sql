CREATE TABLE clicks (id STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka.example.com:9092', 'properties.group.id' = 'shop');
CREATE TABLE billed (id STRING) WITH ('connector' = 'filesystem', 'path' = 's3://shop/billed', 'format' = 'json');
INSERT INTO billed SELECT * FROM clicks;
