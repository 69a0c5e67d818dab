CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://bucket/lake');
USE CATALOG lake;
CREATE TABLE kept (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED);
INSERT INTO kept SELECT product, COUNT(*) FROM default_catalog.default_database.orders GROUP BY product;
