"""MeshGuard's client: reports the device memory of a Python program to the server that watches it.

One file, standard library only, Python 3.8 or later. Copy it beside the program.

    import meshguard

    meshguard.allocated(device=0, type="DRAM", address=0x1000, size=4096)
    meshguard.freed(device=0, type="DRAM", address=0x1000)

A server is used if MESHGUARD_SOCKET names its socket, as `meshguard record -- python3 program.py` does, or if TT_ALLOC_TRACKING_ENABLED
is 1. Without one, every call does nothing. No call raises for a reason of its own: a report that cannot be sent makes the verdict
inconclusive, and the first failure is printed once.

As a plugin of pytest, `python -m pytest -p meshguard` makes each test a phase and lists what each test left.

Threads may share all of it. A forked process reports over a connection of its own. The protocol is described in docs/protocol.md.
"""

import atexit
import contextlib
import contextvars
import itertools
import os
import socket
import struct
import sys
import threading
import time

__all__ = [
    "Mesh",
    "Owner",
    "allocated",
    "close",
    "flush",
    "freed",
    "label",
    "owner",
    "phase",
    "program",
    "request",
]

_DEFAULT_SOCKET = "/tmp/tt_allocation_server.sock"
_BATCH = 1 << 16
_DELAY_SECONDS = 0.005
_ACK_SECONDS = 1
_SEND_SECONDS = 5
_MAX_IDS = 60_000
_MAX_LINES = 64
_MAX_ADDRESSES = 100_000

_TYPES = {"DRAM": 0, "L1": 1, "SYSTEM_MEMORY": 2, "L1_SMALL": 3, "TRACE": 4}
_KINDS = {
    "PROGRAM": 0,
    "TRACE": 1,
    "COMMAND_QUEUE": 2,
    "DISPATCH": 3,
    "FABRIC": 4,
    "ETHERNET_ROUTER": 5,
    "MESH_COORDINATION": 6,
    "OTHER": 7,
}
_LIFETIMES = {"USER": 0, "SYSTEM": 1, "PERSISTENT": 2}
_RESULTS = {"FREED": 0, "ALREADY_FREED": 1, "UNKNOWN_ADDRESS": 2, "DEVICE_CLOSED": 3, "STILL_SHARED": 4}
_ALLOCATORS = {None: 0, "MESH": 1, "DEVICE": 2, "SUB_DEVICE": 3}
_OWNERSHIP = {None: 0, True: 1, False: 2}
_MOMENTS = {"CLOSE_BEGUN": 0, "BEFORE_WIPE": 1, "AFTER_WIPE": 2}

_HEADER = struct.Struct("<IBBH")
_ALLOC = struct.Struct("<IBBHQQQQQIIIIIBBBBHHI")
_FREE = struct.Struct("<IBBHQQIIIIBBBBHHB7x")
_MEMORY = struct.Struct("<BBBBHH")

# The runner of tests, below which all tests have the same lines.
_RUNNERS = ("_pytest", "pluggy", "pytest", "runpy", "unittest")


def _code(names, value):
    """Returns the number of a name, of a member of an enumeration with that name, or the number itself."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    name = str(getattr(value, "name", value)).upper()
    if name not in names:
        raise ValueError("%r is none of %s" % (value, ", ".join(map(str, names))))
    return names[name]


def _allocator(value):
    """Returns an allocator's kind, manager and sub-device: None, "MESH", "DEVICE" or ("SUB_DEVICE", manager, sub-device)."""
    if isinstance(value, tuple):
        return _ALLOCATORS[value[0]], value[1], value[2]
    return _ALLOCATORS[value], 0, 0


class Owner:
    """A runtime object that keeps memory: a program, a trace, a command queue, the dispatch or the fabric.

    kind is PROGRAM, TRACE, COMMAND_QUEUE, DISPATCH, FABRIC, ETHERNET_ROUTER, MESH_COORDINATION or OTHER. lifetime says who frees the
    memory: USER (the program), SYSTEM (the runtime, at the close) or PERSISTENT (it may stay). A name must be unique in the program.
    """

    def __init__(self, kind, name, lifetime="USER"):
        self.kind = _code(_KINDS, kind)
        self.name = str(name)
        self.lifetime = _code(_LIFETIMES, lifetime)

    def cached(self, cache="program cache"):
        """Reports that a cache keeps it from now on."""
        _client.report(lambda out: out.event(19, "II", out.owner(self), out.text(cache)))

    def ended(self):
        """Reports its end. Its memory cannot be in use afterwards."""
        _client.report(lambda out: out.event(20, "I", out.owner(self)))


def program(name):
    """Returns an owner that is a program."""
    return Owner("PROGRAM", name)


class Mesh:
    """An open mesh. Create it when the mesh is opened."""

    _numbers = itertools.count(1)

    def __init__(self, name, devices, parent=None, busiest_device=-1):
        self.number = next(Mesh._numbers)
        devices = list(devices)

        def opened(out):
            above = out.mesh(parent)
            out.meshes.add(self.number)
            form = "IIIiI%dI" % len(devices)
            out.event(21, form, self.number, out.text(name), above, busiest_device, len(devices), *devices)

        _client.report(opened)

    def close_begun(self, addresses=None):
        """Reports that its close begins, and what its allocator lists as allocated now; see snapshot()."""
        _client.report(lambda out: out.event(22, "I", out.mesh(self)))
        if addresses is not None:
            self.snapshot("CLOSE_BEGUN", addresses)

    def snapshot(self, moment, addresses, allocator=None):
        """Reports the allocator's own count, as evidence which frees only were not reported.

        moment is CLOSE_BEGUN, BEFORE_WIPE or AFTER_WIPE. addresses has the allocated addresses for each (device, type) that the allocator
        was asked for, an empty list if there are none.
        """

        def state(out):
            kind, manager, sub_device = _allocator(allocator)
            parts = [
                (device, _code(_TYPES, type), listed[at : at + _MAX_ADDRESSES])
                for (device, type), listed in addresses.items()
                for at in range(0, max(1, len(listed)), _MAX_ADDRESSES)
            ]
            for index, (device, type, listed) in enumerate(parts):
                is_part = index + 1 < len(parts)
                memory = _MEMORY.pack(type, _code(_MOMENTS, moment), kind, is_part, manager, sub_device)
                out.event(24, "II8s%dQ" % len(listed), out.mesh(self), device, memory, *listed)

        _client.report(state)

    def closed(self):
        """Reports that it is closed."""
        _client.report(lambda out: out.event(23, "I", out.mesh(self)))


_label = contextvars.ContextVar("meshguard_label", default=None)
_owner = contextvars.ContextVar("meshguard_owner", default=None)
_request = contextvars.ContextVar("meshguard_request", default=0)
_requests = itertools.count(1)


@contextlib.contextmanager
def _set(variable, value):
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def label(text):
    """Labels what is allocated in a `with` block: `with meshguard.label("kv-cache"):`."""
    return _set(_label, text)


def owner(one):
    """Gives what is allocated and freed in a `with` block an owner."""
    return _set(_owner, one)


def request():
    """Makes all that is allocated in a `with` block one request, as one call that allocates on several devices is."""
    return _set(_request, next(_requests))


@contextlib.contextmanager
def phase(name):
    """Names a stretch of the program: `with meshguard.phase("warm-up"):`. A phase belongs to all threads."""
    _client.phase_begins(name)
    try:
        yield
    finally:
        _client.phase_ends(name)


def allocated(
    device,
    type,
    address,
    size,
    *,
    owner=None,
    label=None,
    request=None,
    mesh=None,
    owning=None,
    view=False,
    circular=False,
    bytes_per_bank=0,
    allocator=None,
    stacklevel=1,
):
    """Reports that memory was allocated.

    type is DRAM, L1, SYSTEM_MEMORY, L1_SMALL or TRACE, or an enumeration's member of that name. owning is True for the object that frees the
    memory, False for one that points to it. A view points to memory of another request. A circular buffer lies outside the allocator, and
    its program is its owner. stacklevel counts as in warnings.warn: 2 names the caller of the function that calls this one.
    """
    if _client.is_idle():
        return
    owned = owner or _owner.get()
    named = label or _label.get()
    number = _request.get() if request is None else request

    def alloc(out):
        kind, manager, sub_device = _allocator(allocator)
        out.header_event(
            _ALLOC,
            16,
            number,
            address,
            size,
            bytes_per_bank,
            device,
            out.mesh(mesh),
            out.owner(owned),
            out.text(named),
            out.stack(lines),
            _code(_TYPES, type),
            _OWNERSHIP[owning],
            kind,
            circular | (view << 1),
            manager,
            sub_device,
            0,
        )

    lines = _lines(stacklevel)
    _client.report(alloc)
    _client.enter(device, type, address, mesh, size, named, lines)


def freed(
    device,
    type,
    address,
    *,
    owner=None,
    mesh=None,
    owning=None,
    circular=False,
    allocator=None,
    result="FREED",
    stacklevel=1,
):
    """Reports that memory was freed, with the device, type, mesh, owner and ownership of its allocation.

    result says why the runtime ignored the call instead: ALREADY_FREED, UNKNOWN_ADDRESS, DEVICE_CLOSED or STILL_SHARED.
    """
    if _client.is_idle():
        return
    owned = owner or _owner.get()

    def free(out):
        kind, manager, sub_device = _allocator(allocator)
        out.header_event(
            _FREE,
            17,
            address,
            device,
            out.mesh(mesh),
            out.owner(owned),
            out.stack(lines),
            _code(_TYPES, type),
            _OWNERSHIP[owning],
            kind,
            circular,
            manager,
            sub_device,
            _code(_RESULTS, result),
        )

    lines = _lines(stacklevel)
    _client.report(free)
    if _code(_RESULTS, result) == 0:
        _client.leave(device, type, address, mesh)


def flush():
    """Sends what waits. Without it, reports are sent within some milliseconds."""
    _client.flush()


def close():
    """Ends the reports in order, as the end of the program does."""
    _client.close()


def _lines(stacklevel):
    """Returns the code and line number of each caller, innermost first, without those of this file and of the runner of tests."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals is globals():
        frame = frame.f_back
    for _ in range(stacklevel - 1):
        frame = frame.f_back if frame is not None else None
    lines = []
    while frame is not None and len(lines) < _MAX_LINES:
        name = frame.f_globals.get("__name__", "")
        if lines and name.split(".")[0] in _RUNNERS:
            break
        if not name.startswith("importlib."):
            lines.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return tuple(lines)


def _file(path):
    """Returns a path as a reader in the working directory would write it."""
    with contextlib.suppress(OSError):
        folder = os.getcwd() + os.sep
        if path.startswith(folder):
            return path[len(folder) :]
    return path


class _Connection:
    """Frames of one connection and the ids that they define. The client's lock guards it."""

    def __init__(self, path):
        self.pid = os.getpid()
        self.sequence = 0
        self.out = bytearray()
        self.meshes = set()
        self.texts = {}
        self.owners = {}
        self.stacks = {}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.settimeout(_ACK_SECONDS)
            self.socket.connect(path)
            program = os.path.basename(sys.argv[0] if getattr(sys, "argv", None) else "").encode(errors="replace")
            hello = struct.pack("<HHIQ", 1, 1, 0, self.pid) + program
            self.socket.sendall(b"MESHGRD1" + _HEADER.pack(len(hello), 1, 0, 0) + hello)
            self._await_answer()
            self.socket.settimeout(_SEND_SECONDS)
        except BaseException:
            self.socket.close()
            raise

    def _await_answer(self):
        try:
            answer = self.socket.recv(24)
        except socket.timeout:
            answer = b""
        if len(answer) < 24 or answer[4] != 2:
            raise OSError("it does not answer MeshGuard's clients, as an old server")

    def frame(self, type, fields):
        self.out += _HEADER.pack(len(fields), type, 0, 0)
        self.out += fields

    def event(self, type, form, *fields):
        packed = struct.pack("<Q" + form, self.sequence + 1, *fields)
        self.sequence += 1
        self.frame(type, packed)

    def header_event(self, form, type, *fields):
        packed = form.pack(form.size - 8, type, 0, 0, self.sequence + 1, *fields)
        self.sequence += 1
        self.out += packed

    def make_room(self):
        """Makes room for the ids of one call. Old ids are used again, which must not happen between two frames of a call."""
        for known in (self.texts, self.owners, self.stacks):
            if len(known) >= _MAX_IDS:
                known.clear()

    def text(self, text):
        if not text:
            return 0
        known = self.texts.get(text)
        if known is None:
            known = len(self.texts) + 1
            self.texts[text] = known
            self.frame(3, struct.pack("<I", known) + str(text).encode(errors="replace")[:4096])
        return known

    def owner(self, owner):
        if owner is None:
            return 0
        key = (owner.kind, owner.name, owner.lifetime)
        known = self.owners.get(key)
        if known is None:
            name = self.text(owner.name)
            known = len(self.owners) + 1
            self.owners[key] = known
            self.frame(5, struct.pack("<IBBHI", known, owner.kind, owner.lifetime, 0, name))
        return known

    def stack(self, lines):
        if not lines:
            return 0
        known = self.stacks.get(lines)
        if known is None:
            ids = [(self.text(_file(code.co_filename)), self.text(_function(code)), line) for code, line in lines]
            known = len(self.stacks) + 1
            self.stacks[lines] = known
            flat = itertools.chain.from_iterable(ids)
            self.frame(4, struct.pack("<IHH%dI" % (3 * len(ids)), known, len(ids), 0, *flat))
        return known

    def mesh(self, mesh):
        """A mesh that the parent of a forked process opened is not this process's."""
        return mesh.number if mesh is not None and mesh.number in self.meshes else 0

    def send(self):
        if self.out:
            self.socket.sendall(self.out)
            del self.out[:]

    def bye(self):
        self.frame(31, struct.pack("<Q", self.sequence))
        self.send()
        self.socket.close()


def _function(code):
    return getattr(code, "co_qualname", code.co_name)


class _Client:
    """The connection of this process, and what outlives a fork."""

    def __init__(self):
        is_asked = os.environ.get("TT_ALLOC_TRACKING_ENABLED") == "1"
        self.path = os.environ.get("MESHGUARD_SOCKET") or (_DEFAULT_SOCKET if is_asked else None)
        if not hasattr(socket, "AF_UNIX"):
            self.path = None
        self.phases = []
        self.ledger = None
        self.buffers = itertools.count(1)
        self.first_of_test = 0
        self.has_warned = False
        self._begin()

    def _begin(self):
        self.lock = threading.RLock()
        self.connection = None
        self.is_over = self.path is None
        self.is_quiet = True
        self.wake = threading.Event()
        self.flusher = None

    def is_idle(self):
        return self.is_over and self.ledger is None

    def after_fork(self):
        """The child has no flusher, and must not speak over the connection of its parent."""
        inherited = self.connection
        was_over = self.is_over
        self._begin()
        self.is_over = was_over
        if inherited is not None:
            with contextlib.suppress(OSError):
                inherited.socket.close()

    def report(self, write):
        """Writes frames. A report that cannot be written is a gap in the numbers, so that the server knows."""
        if self.is_over:
            return
        with self.lock:
            if self.is_over:
                return
            try:
                out = self.connection or self._connect()
                if out is None:
                    return
                before = out.sequence
                out.make_room()
                try:
                    write(out)
                except (TypeError, ValueError, KeyError, AttributeError, struct.error) as e:
                    out.sequence = before + 1
                    self._warn("a report was not sent: %r" % (e,))
                if self.is_quiet:
                    self.is_quiet = False
                    out.send()
                    self.wake.set()
                elif len(out.out) >= _BATCH:
                    out.send()
            except OSError as e:
                self._lose(e)

    def _connect(self):
        try:
            self.connection = _Connection(self.path)
        except OSError as e:
            self.is_over = True
            self._warn("no server at %s, so nothing is reported: %s" % (self.path, e))
            return None
        for name in self.phases:
            self.connection.event(18, "I", self.connection.text(name))
        self.flusher = threading.Thread(target=self._flush_soon, args=(self.wake,), name="meshguard", daemon=True)
        with contextlib.suppress(RuntimeError):
            self.flusher.start()
        self._end_with_worker()
        return self.connection

    def _end_with_worker(self):
        """A worker of multiprocessing ends without the functions of atexit."""
        process = sys.modules.get("multiprocessing.process")
        if process is not None and process.parent_process() is not None:
            from multiprocessing import util

            util.Finalize(None, self.close, exitpriority=-100)

    def _flush_soon(self, wake):
        while True:
            wake.wait()
            wake.clear()
            is_busy = True
            while is_busy:
                time.sleep(_DELAY_SECONDS)
                with self.lock:
                    if wake is not self.wake or self.is_over:
                        return
                    is_busy = bool(self.connection.out)
                    self.is_quiet = not is_busy
                    self._send()

    def _send(self):
        try:
            self.connection.send()
        except OSError as e:
            self._lose(e)

    def _lose(self, failure):
        """The server sees a connection without a last frame."""
        self.is_over = True
        self._warn("the server at %s is gone, so nothing more is reported: %s" % (self.path, failure))
        with contextlib.suppress(OSError):
            self.connection.socket.close()

    def _warn(self, what):
        if not self.has_warned:
            self.has_warned = True
            with contextlib.suppress(Exception):
                print("[MeshGuard] Warning: " + what, file=sys.stderr, flush=True)

    def flush(self):
        with self.lock:
            if self.connection is not None and not self.is_over:
                self._send()

    def close(self):
        with self.lock:
            if self.connection is not None and not self.is_over:
                self.is_over = True
                with contextlib.suppress(OSError):
                    self.connection.bye()

    def phase_begins(self, name):
        with self.lock:
            if self.connection is not None:
                self.report(lambda out: out.event(18, "I", out.text(name)))
                self.phases.append(name)
            else:
                self.phases.append(name)
                self.report(lambda out: None)

    def phase_ends(self, name):
        with self.lock:
            if self.phases and self.phases[-1] == name:
                self.phases.pop()
                if self.connection is not None:
                    self.report(lambda out: out.event(18, "I", 0))

    # What is allocated, for the plugin of pytest

    def enter(self, device, type, address, mesh, size, label, lines):
        if self.ledger is not None:
            with self.lock:
                key = (device, str(getattr(type, "name", type)), address, mesh)
                buffer = _Buffer(next(self.buffers), key, size, label, lines)
                self.ledger.setdefault(key, []).append(buffer)

    def leave(self, device, type, address, mesh):
        if self.ledger is not None:
            with self.lock:
                key = (device, str(getattr(type, "name", type)), address, mesh)
                entries = self.ledger.get(key)
                if entries:
                    entries.pop().is_freed = True
                    if not entries:
                        del self.ledger[key]


_client = _Client()
atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _client.lock.acquire(),
        after_in_parent=lambda: _client.lock.release(),
        after_in_child=lambda: _client.after_fork(),
    )


# The plugin of pytest


class _Buffer:
    def __init__(self, number, key, size, label, lines):
        self.number = number
        self.key = key
        self.size = size
        self.label = label
        self.lines = lines
        self.is_freed = False

    def __str__(self):
        device, type, address, _ = self.key
        code, line = self.lines[0] if self.lines else (None, 0)
        place = " at %s:%d" % (_file(code.co_filename), line) if code else ""
        return "%d B of %s on device %s at 0x%x%s%s%s" % (
            self.size,
            type,
            device,
            address,
            ' "%s"' % self.label if self.label else "",
            ", allocated" + place if place else "",
            ", freed later" if self.is_freed else "",
        )


_left = {}


def pytest_configure(config):
    _client.ledger = {}


def pytest_report_header(config):
    return "meshguard: " + ("reports to " + _client.path if _client.path else "no server, so only the summary")


def pytest_runtest_logstart(nodeid, location):
    _client.first_of_test = next(_client.buffers)
    _client.phase_begins(nodeid)


def pytest_runtest_logfinish(nodeid, location):
    _client.phase_ends(nodeid)
    with _client.lock:
        live = [buffer for entries in _client.ledger.values() for buffer in entries]
    left = [buffer for buffer in live if buffer.number > _client.first_of_test]
    if left:
        _left.setdefault(nodeid, []).extend(left)


def pytest_terminal_summary(terminalreporter):
    if not _left:
        return
    terminalreporter.section("memory that tests left (MeshGuard)")
    for nodeid, buffers in _left.items():
        total = sum(buffer.size for buffer in buffers)
        count = "1 buffer" if len(buffers) == 1 else "%d buffers" % len(buffers)
        terminalreporter.write_line("%s left %s, %d B" % (nodeid, count, total))
        for buffer in buffers[:10]:
            terminalreporter.write_line("    " + str(buffer))
        if len(buffers) > 10:
            terminalreporter.write_line("    … and %d more" % (len(buffers) - 10))
