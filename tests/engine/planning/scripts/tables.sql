CREATE TABLE orders (
  id BIGINT, customer BIGINT, product STRING, amount DECIMAL(10, 2), tags ARRAY<STRING>,
  ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE payments (
  id BIGINT, order_id BIGINT, paid DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'payments', 'format' = 'json');
CREATE TABLE customers (
  id BIGINT, name STRING, country STRING, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db', 'table-name' = 'customers');
CREATE TABLE rates (
  currency STRING, rate DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (currency) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'rates', 'key.format' = 'raw', 'value.format' = 'json');
CREATE TABLE products (product STRING, category STRING, PRIMARY KEY (product) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/shop', 'table-name' = 'products');
CREATE TABLE log (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'log', 'format' = 'json');
CREATE TABLE totals (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'totals', 'key.format' = 'raw', 'value.format' = 'json');
CREATE TABLE changes (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'c', 'format' = 'debezium-json');
CREATE TABLE rows_of_db (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/shop', 'table-name' = 'r');
