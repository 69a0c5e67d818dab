CREATE TABLE clicks (id STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks;orders', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka.example.com:9092', 'properties.group.id' = 'shop');
CREATE TABLE printed (id STRING) WITH ('connector' = 'print');
INSERT INTO printed SELECT * FROM clicks;
