"""Writes a report database of a million rows and a graph capture of a million nodes into a folder.

    python3 benchmarks/src/main/python/large_outputs.py /tmp
    time meshguard analyze /tmp/large.sqlite
    time java -Xmx256m -jar meshguard.jar analyze /tmp/large.json
"""

import pathlib
import sqlite3
import sys

OPERATIONS = 5_000
BUFFERS = 200  # of each operation
ADDRESSES = 1_000
ALLOCATIONS = 333_333  # of the capture, of three nodes each

TABLES = {
    "devices": "device_id int, num_y_cores int",
    "operations": "operation_id int, name text, duration float",
    "stack_traces": "operation_id int, stack_trace text",
    "input_tensors": "operation_id int, input_index int, tensor_id int",
    "output_tensors": "operation_id int, output_index int, tensor_id int",
    "device_tensors": "tensor_id int, device_id int, address int",
    "tensors": "tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text, device_id int, address int,"
    " buffer_type int",
    "buffers": "operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int",
}


def address(number):
    return 0x10000 + number % ADDRESSES * 4_096


def write_database(path):
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        for name, columns in TABLES.items():
            database.execute(f"CREATE TABLE {name} ({columns})")
        database.execute("INSERT INTO devices VALUES (0, 8)")
        for operation in range(OPERATIONS):
            database.execute("INSERT INTO operations VALUES (?, 'ttnn.add', 0.001)", (operation,))
            rows = ((operation, 0, address(operation * 3 + buffer), 2_048, 0) for buffer in range(BUFFERS))
            database.executemany("INSERT INTO buffers VALUES (?, ?, ?, ?, ?)", rows)


def node(number, kind, connections="", params=""):
    return f'{{"counter":{number},"node_type":"{kind}","connections":[{connections}],"params":{{{params}}}}}'


def write_capture(path):
    with path.open("w") as capture:
        capture.write("[" + node(0, "capture_start", "1"))
        number = 1
        for allocation in range(ALLOCATIONS):
            place = f'"address":"{address(allocation)}","device_id":"0","layout":"INTERLEAVED","size":"4096","type":"DRAM"'
            paged = place + ',"num_cores":"0","page_size":"2048"'
            capture.write(",\n" + node(number, "buffer", "", place))
            capture.write(",\n" + node(number + 1, "buffer_allocate", number, paged))
            capture.write(",\n" + node(number + 2, "buffer_deallocate", number, paged))
            number += 3
        capture.write(",\n" + node(number, "capture_end") + "]\n")


folder = pathlib.Path(sys.argv[1])
write_database(folder / "large.sqlite")
write_capture(folder / "large.json")
