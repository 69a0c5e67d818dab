CREATE TABLE clicks (id STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka.example.com', 'properties.group.id' = 'shop');
CREATE TABLE printed (id STRING) WITH ('connector' = 'print');
INSERT INTO printed SELECT * FROM clicks;
