CREATE TABLE s (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 's');
SELECT id FROM s;
INSERT INTO elsewhere SELECT id FROM s;
CREATE TABLE e (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 'p',
  'sink.partition-commit.trigger' = 'process-time', 'sink.partition-commit.policy.kind' = 'success-file');
INSERT INTO e SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM s;
CREATE TABLE w (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 's');
CREATE TABLE f (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 'p',
  'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.policy.kind' = 'success-file');
INSERT INTO f SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM w;
CREATE TABLE g (id INT) WITH ('connector' = 'filesystem', 'path' = 'p');
INSERT INTO g SELECT id FROM s;
CREATE TABLE d (id INT, dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path' = 'p',
  'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.policy.kind' = 'success-file');
INSERT INTO d SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM s;
INSERT INTO d SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM s;
