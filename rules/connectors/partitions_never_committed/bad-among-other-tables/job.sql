CREATE TABLE e (id INT) WITH ('connector' = 'blackhole');
INSERT INTO e SELECT id FROM s;
CREATE TABLE f (id INT, dt STRING) WITH ('connector' = 'filesystem', 'path' = 's3://b/d',
  'format' = 'parquet');
INSERT INTO f SELECT id, dt FROM s;
SET 'execution.runtime-mode' = 'batch';
CREATE TABLE g (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 's3://b/d',
  'format' = 'parquet');
INSERT INTO g SELECT id, dt FROM s;
RESET 'execution.runtime-mode';
CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 's3://b/d',
  'format' = 'parquet');
INSERT INTO d SELECT id, dt FROM s;
INSERT INTO d SELECT id, dt FROM s;
