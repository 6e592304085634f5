CREATE TABLE operations (operation_id int, name text, duration float);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int);
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
INSERT INTO operations SELECT n, 'ttnn.relu', 1 FROM numbers;
INSERT INTO buffers SELECT operation_id, 0, 4096, 64, 0 FROM operations;
