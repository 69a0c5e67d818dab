CREATE TABLE second (
  f_sequence BIGINT,
  f_random_str STRING
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '500000',
  'fields.f_sequence.kind' = 'sequence',
  'fields.f_sequence.start' = '1',
  'fields.f_sequence.end' = '200000000',
  'scan.parallelism' = '${P}'
);
INSERT INTO sink SELECT f_sequence FROM second;
CREATE TABLE datagen (
  f_sequence BIGINT,
  f_random_str STRING
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '500000',
  'fields.f_sequence.kind' = 'sequence',
  'fields.f_sequence.start' = '1',
  'fields.f_sequence.end' = '200000000'
);
INSERT INTO sink SELECT f_sequence FROM datagen;
