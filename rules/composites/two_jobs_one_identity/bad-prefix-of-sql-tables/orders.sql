CREATE TABLE bids (id STRING) WITH ('connector' = 'kafka', 'topic' = 'bids', 'format' = 'json',
  'properties.bootstrap.servers' = 'kafka.example.com:9092', 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'shop');
CREATE TABLE made (id STRING) WITH ('connector' = 'datagen');
INSERT INTO bids SELECT * FROM made;
