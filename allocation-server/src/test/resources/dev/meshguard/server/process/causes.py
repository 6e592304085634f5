"""Has each cause once: the argument names it. The line that allocates what remains ends with a comment."""

import enum
import gc
import os
import signal
import subprocess
import sys
import threading

import meshguard
from meshguard import Mesh, Owner, allocated, freed, program


def lives(address):
    return {(0, "DRAM"): [address], (0, "L1"): []}


def closed(mesh, addresses=None, late=None):
    mesh.close_begun(addresses)
    if late:
        late()
    mesh.closed()


def nothing_for_a_second():
    meshguard._CONNECT_SECONDS = 1
    nothing()


def nothing():
    with meshguard.label("weights"):
        allocated(0, "DRAM", 0x1000, 4096)
    freed(0, "DRAM", 0x1000)


def unexplained():
    with meshguard.phase("decode"), meshguard.label("kv-cache"):
        allocated(0, "DRAM", 0x1000, 4096)  # remains


def system():
    with meshguard.owner(Owner("DISPATCH", "prefetcher", "SYSTEM")):
        allocated(0, "L1", 0x1000, 4096)  # remains


def cached():
    add = program("1 (add)")
    add.cached()
    allocated(0, "DRAM", 0x1000, 4096, owner=add)  # remains


def reported_twice():
    with meshguard.request():
        for owning in (True, False):
            allocated(0, "DRAM", 0x1000, 4096, owning=owning)  # remains
    freed(0, "DRAM", 0x1000, owning=True)


# region: mesh
def free_unreported():
    mesh = Mesh("1x1 mesh", [0])
    allocated(0, "DRAM", 0x1000, 4096, mesh=mesh)  # remains
    mesh.close_begun({(0, "DRAM"): []})
    mesh.closed()
# end region


def circular_buffer_unreported():
    add = program("1 (add)")
    allocated(0, "L1", 0x1000, 4096, owner=add, circular=True)  # remains
    add.ended()


def late():
    mesh = Mesh("1x1 mesh", [0])
    allocated(0, "DRAM", 0x1000, 4096, mesh=mesh)  # remains
    closed(mesh, lives(0x1000), lambda: freed(0, "DRAM", 0x1000, mesh=mesh))


def freed_on_other_devices():
    with meshguard.request():
        for device in range(8):
            allocated(device, "DRAM", 0x1000 + 64 * device, 4096, owning=True)  # remains
    for device in range(7):
        freed(device, "DRAM", 0x1000 + 64 * device, owning=True)


def kept_after_release():
    mesh = Mesh("1x1 mesh", [0])
    trace = Owner("TRACE", "1")
    allocated(0, "DRAM", 0x1000, 4096, owner=trace, mesh=mesh)  # remains
    trace.ended()
    closed(mesh, lives(0x1000))


def process_died():
    allocated(0, "DRAM", 0x1000, 4096)  # remains
    meshguard.flush()
    os.kill(os.getpid(), signal.SIGKILL)


# Besides the causes


def exits_with_3():
    unexplained()
    raise SystemExit(3)


def gap():
    nothing()
    meshguard.flush()
    meshguard._client.number += 3
    nothing()


def impossible():
    allocated(-1, "DRAM", 0x1000, 4096)
    allocated(0, "SRAM", 0x1000, 4096)
    allocated("zero", "DRAM", 0x1000, 4096)


def forks():
    with meshguard.phase("parent"):
        allocated(0, "DRAM", 0x1000, 4096)
        child = os.fork()
        if child == 0:
            allocated(0, "DRAM", 0x1000, 4096)  # remains
            sys.exit()
        os.waitpid(child, 0)
        freed(0, "DRAM", 0x1000)


def burst():
    begin, end = os.pipe()
    children = []
    for address in range(64):
        child = os.fork()
        if child == 0:
            os.close(end)
            os.read(begin, 1)
            allocated(0, "DRAM", 64 * address, 64)
            sys.exit()
        children.append(child)
    os.close(end)
    for child in children:
        os.waitpid(child, 0)


def frees_and_ends_at_once():
    nothing()
    meshguard.flush()
    os._exit(0)


def frees_without_flush_and_ends_at_once():
    nothing()
    if os.fork() != 0:
        os.wait()
    nothing()
    os._exit(0)


def leaks_and_ends_at_once():
    nothing()
    meshguard.flush()
    allocated(0, "DRAM", 0x1000, 4096)
    os._exit(0)


def text():
    allocated(0, "DRAM", 0x1000, 4096, label='"quoted" \\ \t' + "x" * 987 + "\u00e9, which is cut here")


class Tensor:
    def __init__(self, address):
        self.address = address
        self.cycle = self
        allocated(0, "DRAM", address, 64)

    def __del__(self):
        freed(0, "DRAM", self.address)


def enumerations():
    for name in "DRAM", "L1":
        allocated(0, enum.IntEnum("Memory", {name: 0})(0), 0x1000, 64)
        freed(0, name, 0x1000)


def finalisers():
    for address in range(0, 64000, 64):
        Tensor(address)
    gc.collect()


def globals_that_die():
    global kept
    kept = Tensor(0x1000)


def interrupted():
    """Each call is interrupted at another instruction, as by a signal handler that raises; the last one is not."""

    class Interruption(Exception):
        pass

    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename != meshguard.__file__:
            return None
        frame.f_trace_opcodes = True
        left -= event == "opcode"
        if event == "opcode" and left == 0:
            raise Interruption
        return trace

    calls = 0
    is_interrupted = True
    sys._getframe().f_trace_opcodes = True
    allocated(1, "DRAM", 0, 64)
    while is_interrupted:
        calls += 1
        left = calls + 1  # The first instruction of a call in 3.11 and later comes before the call can be protected.
        sys.settrace(trace)
        try:
            allocated(0, "DRAM", calls * 64, 64)
            is_interrupted = False
        except Interruption:
            pass
        finally:
            sys.settrace(None)
    print(calls)


def reports_while_the_server_waits():
    sys.setswitchinterval(60)  # On a busy machine the client would find nothing to send in between, say so, and wait for room.
    for address in range(2_000):
        allocated(0, "DRAM", address * 64, 64)
    print("reported", flush=True)


def pool():
    import multiprocessing

    worker = multiprocessing.get_context("fork").Process(target=unexplained)
    worker.start()
    worker.join()


def threads():
    def work(number):
        with meshguard.label("thread %d" % number):
            for address in range(1000):
                allocated(number, "DRAM", 64 * address, 64)
        for address in range(999):
            freed(number, "DRAM", 64 * address)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def subprograms():
    for _ in range(2):
        subprocess.run([sys.executable, __file__, "unexplained"], check=True)


globals()[sys.argv[1]]()
