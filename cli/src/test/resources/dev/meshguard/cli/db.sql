CREATE TABLE operations (operation_id int, name text, duration float);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int);
CREATE TABLE stack_traces (operation_id int, stack_trace text);
CREATE TABLE tensors (tensor_id int, shape text, device_id int, address int, buffer_type int);
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);
INSERT INTO operations VALUES (1, 'ttnn.ones', 0.1), (2, 'ttnn.matmul', 0.1), (3, 'ttnn.relu', 0.1);
INSERT INTO buffers VALUES (1, 0, 4096, 1024, 0), (2, 0, 4096, 1024, 0), (2, 0, 1488896, 2048, 1), (3, 0, 1488896, 2048, 1);
INSERT INTO stack_traces VALUES (2, '  File "models/decoder.py", line 57, in forward
    ttnn.matmul(x, w)');
INSERT INTO tensors VALUES (41, 'Shape([1, 1, 32, 1024])', 0, 1488896, 1);
INSERT INTO output_tensors VALUES (2, 0, 41);
INSERT INTO input_tensors VALUES (3, 0, 41);
