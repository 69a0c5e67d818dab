CREATE TABLE orders (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc',
  'hostname' = 'db.example.com');
CREATE TABLE printed (id INT) WITH ('connector' = 'print');
INSERT INTO printed SELECT * FROM orders;
