INSERT INTO log SELECT product, id FROM shop.orders;
