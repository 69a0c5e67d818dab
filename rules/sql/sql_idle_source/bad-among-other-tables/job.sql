SET 'table.exec.source.idle-timeout' = '30 s';
CREATE TABLE bids (p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'b');
INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
RESET 'table.exec.source.idle-timeout';
INSERT INTO r SELECT ts, p FROM bids;
CREATE TABLE asks (p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'b', 'scan.watermark.idle-timeout' = '1 s');
INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE asks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
CREATE TABLE more (p INT, ts TIMESTAMP(3))
WITH ('connector' = 'kafka', 'topic' = 'b');
INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE more, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
INSERT INTO r SELECT window_start, SUM(p) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
