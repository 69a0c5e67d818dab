SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (
  id BIGINT,
  price DOUBLE
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '20000',
  'fields.id.kind' = 'sequence',
  'fields.id.start' = '1',
  'fields.id.end' = '15000000'
);
CREATE TABLE sink (id BIGINT) WITH ('connector' = 'print');
INSERT INTO sink SELECT id FROM orders;
