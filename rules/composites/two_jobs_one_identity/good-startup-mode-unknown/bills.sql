CREATE TABLE clicks (id STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka.example.com:9092', 'properties.group.id' = 'shop', 'scan.startup.mode' = '${START}');
CREATE TABLE printed (id STRING) WITH ('connector' = 'print');
INSERT INTO printed SELECT * FROM clicks;
