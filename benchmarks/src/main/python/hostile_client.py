"""Measures how long one client of a server waits for its answers while another one sends what no client should.

    meshguard serve --socket /tmp/hostile.sock --record-size 112 &
    python3 benchmarks/src/main/python/hostile_client.py /tmp/hostile.sock
"""

import os
import socket
import sys
import threading
import time

RECORD_BYTES = 112
QUERY = 3
SECONDS = 4
INPUTS = {
    "nothing": None,
    "lines of 65,000 bytes": b"{" + b"a" * 65_000 + b"\n",
    "30,000 nested brackets": b'{"op":' + b"[" * 30_000 + b"\n",
    "lines with wrong values": b'{"op":"allocated","device":-1}\n' * 2_000,
    "a line without end": b'{"op":"' + b"x" * (1 << 20),
    "random bytes": os.urandom(60_000),
}


def connected(path):
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    return client


def read_all(client):
    try:
        while client.recv(65_536):
            pass
    except OSError:
        pass  # The server has closed the connection.


def attack(path, data, ended):
    while not ended.is_set():
        try:
            with connected(path) as client:
                threading.Thread(target=read_all, args=(client,), daemon=True).start()
                while not ended.is_set():
                    client.sendall(data)
        except OSError:
            pass  # As above: go on with a new connection.


def answer_seconds(client):
    begin = time.perf_counter()
    client.sendall(bytes([QUERY]) + bytes(RECORD_BYTES - 1))
    left = RECORD_BYTES
    while left > 0:
        left -= len(client.recv(left))
    return time.perf_counter() - begin


def measure(path, name, data):
    ended = threading.Event()
    attacker = threading.Thread(target=attack, args=(path, data, ended), daemon=True)
    if data:
        attacker.start()
    answers = []
    end = time.monotonic() + SECONDS
    with connected(path) as client:
        while time.monotonic() < end:
            answers.append(answer_seconds(client) * 1_000)
            time.sleep(0.002)
    ended.set()
    answers.sort()
    print(f"{name}: {len(answers)} answers, median {answers[len(answers) // 2]:.2f} ms, slowest {answers[-1]:.1f} ms")


for name, data in INPUTS.items():
    measure(sys.argv[1], name, data)
