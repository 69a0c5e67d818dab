-- Baskets that were paid, beside what was in them: read by the reports of the marketing team.
SET 'pipeline.name' = 'baskets';

CREATE TABLE payments (
  basket STRING,
  amount DECIMAL(10, 2),
  paid_at TIMESTAMP_LTZ(3),
  WATERMARK FOR paid_at AS paid_at - INTERVAL '30' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments-checked',
  'properties.bootstrap.servers' = 'kafka:9092',
  'properties.group.id' = 'baskets',
  'scan.startup.mode' = 'group-offsets',
  'properties.auto.offset.reset' = 'earliest',
  'format' = 'json'
);

CREATE TABLE baskets (
  basket STRING,
  items INT,
  coupon STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'baskets',
  'properties.bootstrap.servers' = 'kafka:9092',
  'properties.group.id' = 'baskets',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

CREATE TABLE paid_baskets (
  basket STRING,
  items INT,
  amount DECIMAL(10, 2)
) WITH (
  'connector' = 'filesystem',
  'path' = 's3://shop-lake/paid_baskets',
  'format' = 'parquet'
);

INSERT INTO paid_baskets
SELECT p.basket, b.items, p.amount
FROM payments AS p
JOIN baskets AS b ON p.basket = b.basket;
