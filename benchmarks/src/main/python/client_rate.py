"""Reports pairs (allocated, freed) as fast as it can below a stack of some frames, and prints how many a second.

    PYTHONPATH=clients/python meshguard record -- python3 benchmarks/src/main/python/client_rate.py 18 300000
"""

import sys
import time

import meshguard


def report(pairs):
    begin = time.perf_counter()
    for i in range(pairs):
        address = (i % 4096 + 1) * 4096
        meshguard.allocated(device=1, type="DRAM", address=address, size=4096)
        meshguard.freed(device=1, type="DRAM", address=address)
    meshguard.flush()
    print(f"{pairs / (time.perf_counter() - begin):,.0f} pairs a second", file=sys.stderr)


def below(frames, pairs):
    if frames == 0:
        report(pairs)
    else:
        below(frames - 1, pairs)


below(int(sys.argv[1]), int(sys.argv[2]))
