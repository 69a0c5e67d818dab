CREATE TABLE orders (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc',
  'hostname' = 'db.example.com', 'server-id' = '5400');
CREATE TABLE printed (id INT) WITH ('connector' = 'print');
INSERT INTO printed SELECT * FROM orders;
