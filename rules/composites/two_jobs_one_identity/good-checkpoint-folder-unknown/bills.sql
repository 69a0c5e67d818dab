SET 'execution.checkpointing.dir' = 's3://${BUCKET}/c';
SET 'execution.checkpointing.create-subdir' = 'false';
CREATE TABLE clicks (id STRING) WITH ('connector' = 'datagen');
CREATE TABLE printed (id STRING) WITH ('connector' = 'print');
INSERT INTO printed SELECT * FROM clicks;
