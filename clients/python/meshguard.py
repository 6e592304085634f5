"""MeshGuard's client: reports the device memory of a Python program to the server that watches it.

One file, standard library only, Python 3.8 or later. Copy it beside the program.

    import meshguard

    meshguard.allocated(device=0, type="DRAM", address=0x1000, size=4096)
    meshguard.freed(device=0, type="DRAM", address=0x1000)

A server is used if MESHGUARD_SOCKET names its socket, as `meshguard record -- python3 program.py` does, or if TT_ALLOC_TRACKING_ENABLED
is 1. Without one, every call does nothing. No call raises for a reason of its own: a report that cannot be sent makes the verdict
inconclusive, and the first failure is printed once.

As a plugin of pytest, `python3 -m pytest -p meshguard` makes each test a phase and lists what each test left.

Threads, finalisers and signal handlers may call all of it. A forked process reports over a connection of its own. If a signal handler
raises inside of a call, its report is sent once nevertheless. Two cases are out of reach of Python code: an exception before the first
instruction of a call, as if it had not been made, and a second one while the call deals with the first.
"""

import atexit
import collections
import contextlib
import contextvars
import functools
import itertools
import os
import signal
import socket
import struct
import sys
import time
from _thread import allocate_lock, start_new_thread
from json.encoder import encode_basestring_ascii
from operator import index
from threading import get_native_id

__all__ = ["Mesh", "Owner", "allocated", "close", "flush", "freed", "label", "owner", "phase", "program", "request"]

_DEFAULT_SOCKET = "/tmp/tt_allocation_server.sock"
_DELAY_SECONDS = 0.005
_CONNECT_SECONDS = 5
_SEND_SECONDS = 30
_MAX_LINES = 500  # sent together
_MAX_WAITING = 2_000  # more would keep the garbage collector busy
_MAX_IDS = 60_000
_MAX_FRAMES = 64
_MAX_STACK = 60_000  # characters
_MAX_ADDRESSES = 2_000
_MAX_TEXT = 1000

# The runner of tests, below which all tests have the same lines.
_RUNNERS = ("_pytest", "pluggy", "pytest", "runpy", "unittest")


def _quoted(text):
    return encode_basestring_ascii(str(text)[:_MAX_TEXT])


@functools.lru_cache(maxsize=256, typed=True)
def _name(value):
    """Writes a name, or that of a member of an enumeration; the server knows which names are valid."""
    return _quoted(str(getattr(value, "name", value)).upper())


def _reporting(function):
    """Makes a function that returns a report one that reports it, once, also if a signal handler raises meanwhile."""

    # So `try` comes first: the parameter replaces an assignment. If the queue gets a report twice, the sender numbers it once.
    @functools.wraps(function)
    def call(*args, report=None, **kwargs):
        try:
            if _client.is_used:
                report = function(*args, **kwargs)
                _client.add(report)
        except BaseException:
            if _client.is_used:
                _client.add(report or function(*args, **kwargs), waits=False)
            raise

    return call


class Owner:
    """A runtime object that keeps memory: a program, a trace, a command queue, the dispatch or the fabric.

    kind is PROGRAM, TRACE, COMMAND_QUEUE, DISPATCH, FABRIC, ETHERNET_ROUTER, MESH_COORDINATION or OTHER. lifetime says who frees the
    memory: USER (the program), SYSTEM (the runtime, at the close) or PERSISTENT (it may stay). A name must be unique in the program.
    """

    def __init__(self, kind, name, lifetime="USER"):
        self.json = ',"owner":{"kind":%s,"lifetime":%s,"name":%s}' % (_name(kind), _name(lifetime), _quoted(name))

    @_reporting
    def cached(self, cache="program cache"):
        """Reports that a cache keeps it from now on."""
        return _report(lambda _: ['"op":"owner_cached"%s,"cache":%s' % (self.json, _quoted(cache))])

    @_reporting
    def ended(self):
        """Reports its end. Its memory cannot be in use afterwards."""
        return _report(lambda _: ['"op":"owner_ended"' + self.json])


def program(name):
    """Returns an owner that is a program."""
    return Owner("PROGRAM", name)


class Mesh:
    """An open mesh. Create it when the mesh is opened."""

    _numbers = itertools.count(1)

    def __init__(self, name, devices, parent=None, busiest_device=-1):
        self.number = next(Mesh._numbers)
        self.client = _client
        self._opened(name, tuple(devices), parent, busiest_device)

    @_reporting
    def _opened(self, name, devices, parent, busiest_device):
        def write(client):
            text = '"op":"mesh_opened"%s,"name":%s' % (_mesh(client, self), _quoted(name))
            text += _mesh(client, parent, "parent")
            yield text + ',"busiestDevice":%d,"devices":%s' % (busiest_device, [index(device) for device in devices])

        return _report(write)

    @_reporting
    def close_begun(self, addresses=None):
        """Reports that its close begins, and what its allocator lists as allocated now; see snapshot()."""
        listed = _copy(addresses or {})

        def write(client):
            yield '"op":"mesh_close_begun"' + _mesh(client, self)
            yield from self._states(client, "CLOSE_BEGUN", listed, None)

        return _report(write)

    @_reporting
    def snapshot(self, moment, addresses, allocator=None):
        """Reports the allocator's own count, as evidence which frees only were not reported.

        moment is CLOSE_BEGUN, BEFORE_WIPE or AFTER_WIPE. addresses has the allocated addresses for each (device, type) that the allocator
        was asked for, an empty list if there are none.
        """
        listed = _copy(addresses)
        return _report(lambda client: self._states(client, moment, listed, allocator))

    def _states(self, client, moment, listed, allocator):
        parts = [
            (index(device), _name(type), all[at : at + _MAX_ADDRESSES])
            for (device, type), all in listed
            for at in range(0, max(1, len(all)), _MAX_ADDRESSES)
        ]
        common = '"op":"state","moment":%s%s%s' % (_name(moment), _mesh(client, self), _allocator(allocator))
        for at, (device, type, some) in enumerate(parts, 1):
            fields = common, device, type, "true" if at == len(parts) else "false", ",".join('"0x%x"' % one for one in some)
            yield '%s,"device":%d,"type":%s,"complete":%s,"addresses":[%s]' % fields

    @_reporting
    def closed(self):
        """Reports that it is closed."""
        return _report(lambda client: ['"op":"mesh_closed"' + _mesh(client, self)])


def _copy(addresses):
    return [(memory, tuple(listed)) for memory, listed in addresses.items()]


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
    _phase(name)
    try:
        yield
    finally:
        _phase(None)


@_reporting
def _phase(name):
    """Reports that a phase begins, or that the innermost one ends."""
    named = "" if name is None else ',"name":' + _quoted(str(name).strip() or "?")
    return _report(lambda _: ['"op":"phase"' + named])


@_reporting
def allocated(device, type, address, size, *, owner=None, label=None, request=None, mesh=None, owning=None, view=False,
              circular=False, bytes_per_bank=0, allocator=None, stacklevel=1):
    """Reports that memory was allocated.

    type is DRAM, L1, SYSTEM_MEMORY, L1_SMALL or TRACE, or an enumeration's member of that name. owning is True for the object that frees the
    memory, False for one that points to it. A view points to memory of another request. A circular buffer lies outside the allocator, and
    its program is its owner. stacklevel counts as in warnings.warn: 2 names the caller of the function that calls this one.
    """
    owned = owner or _owner.get()
    named = label or _label.get()
    number = _request.get() if request is None else request
    stack = _stack(stacklevel)

    def write(client):
        text = _memory(client, "cb_alloc" if circular else "alloc", device, type, address, mesh, owned, owning, allocator)
        text += ',"size":%d' % index(size)
        text += ',"label":' + _quoted(named) if named else ""
        text += ',"request":%d' % index(number) if number else ""
        text += ',"bytesPerBank":%d' % index(bytes_per_bank) if bytes_per_bank else ""
        text += ',"view":true' if view else ""
        if client.ledger is not None:
            client.enter((device, _name(type), address, mesh), size, named, stack)
        return [text]

    return _report(write, stack)


@_reporting
def freed(device, type, address, *, owner=None, mesh=None, owning=None, circular=False, allocator=None, result="FREED",
          stacklevel=1):
    """Reports that memory was freed, with the device, type, mesh, owner and ownership of its allocation.

    result says why the runtime ignored the call instead: ALREADY_FREED, UNKNOWN_ADDRESS, DEVICE_CLOSED or STILL_SHARED.
    """
    owned = owner or _owner.get()

    def write(client):
        text = _memory(client, "cb_free" if circular else "free", device, type, address, mesh, owned, owning, allocator)
        if result != "FREED":
            text += ',"result":' + _name(result)
        elif client.ledger is not None:
            client.leave((device, _name(type), address, mesh))
        return [text]

    return _report(write, _stack(stacklevel))


def _memory(client, op, device, type, address, mesh, owner, owning, allocator):
    text = '"op":"%s","device":%d,"type":%s,"address":"0x%x"' % (op, index(device), _name(type), address)
    if mesh or owner or allocator:
        text += _mesh(client, mesh) + _allocator(allocator) + (owner.json if owner else "")
    return text if owning is None else text + ',"ownership":"%s"' % ("OWNING" if owning else "NON_OWNING")


def _mesh(client, mesh, key="mesh"):
    """A mesh that the parent of a forked process opened is not this process's."""
    return ',"%s":%d' % (key, mesh.number) if mesh is not None and mesh.client is client else ""


def _allocator(value):
    """Writes an allocator: None, "MESH", "DEVICE" or ("SUB_DEVICE", manager, sub-device)."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ',"allocator":%s,"manager":%d,"subDevice":%d' % (_name(value[0]), value[1], value[2])
    return ',"allocator":' + _name(value)


def flush():
    """Sends what waits. Without it, reports are sent within some milliseconds."""
    _client.finish("idle")


def close():
    """Reports the end of the program, as its end does. Later reports arrive too."""
    _client.finish("bye")


class _Stack:
    """The lines of a call, innermost first. It keeps their code objects, whose identities are its key."""

    def __init__(self, id, frame):
        self.id = id
        self.codes = []
        self.frames = []
        folder = ""
        with contextlib.suppress(OSError):
            folder = os.path.join(os.getcwd(), "")
        while frame is not None and len(self.codes) < _MAX_FRAMES:
            code = frame.f_code
            self.codes.append(code)
            module = str(frame.f_globals.get("__name__", ""))
            if self.frames and module.split(".")[0] in _RUNNERS:
                break
            if not module.startswith("importlib."):
                file = code.co_filename[len(folder) :] if folder and code.co_filename.startswith(folder) else code.co_filename
                function = getattr(code, "co_qualname", code.co_name)
                self.frames.append("%s (%s:%d)" % (function[:100], file[-300:], frame.f_lineno or 0))
            frame = frame.f_back


_stacks = {}


def _stack(stacklevel):
    """Returns the stack of the caller of the function that calls this one, below _reporting."""
    frame = sys._getframe(2).f_back
    for _ in range(stacklevel - 1):
        frame = frame and frame.f_back
    key = []
    at = frame
    while at is not None and len(key) < 2 * _MAX_FRAMES:
        key += id(at.f_code), at.f_lasti
        at = at.f_back
    key = tuple(key)
    stack = _stacks.get(key)
    if stack is None:
        if len(_stacks) >= _MAX_IDS:
            _stacks.clear()
        stack = _stacks[key] = _Stack(len(_stacks) + 1, frame)
    return stack


def _report(write, stack=None):
    """Returns a report: whether it is numbered, the function that writes its lines, and a stack."""
    return [False, write, stack]


class _Client:
    """The reports of one process: a queue to which all threads append, and one thread that numbers and sends what is in it.

    Nothing here locks: a finaliser or a signal handler may interrupt each call by another, also in the sender.
    """

    def __init__(self):
        is_asked = os.environ.get("TT_ALLOC_TRACKING_ENABLED") == "1"
        self.path = os.environ.get("MESHGUARD_SOCKET") or (_DEFAULT_SOCKET if is_asked else None)
        self.is_over = self.path is None or not hasattr(socket, "AF_UNIX")
        self.is_used = not self.is_over
        self.queue = collections.deque()
        self.is_quiet = True  # The last line says that nothing waits, so the next call waits until its report is sent.
        self.is_on_socket = False
        self.is_stopping = False
        self.is_ended = False
        self.sending = allocate_lock()
        self.wake = allocate_lock()
        self.sender = None
        self.connection = None
        self.number = 0
        self.stacks = {}
        self.ledger = None
        self.has_warned = False

    def add(self, report, waits=True):
        self.queue.append(report)
        if self.is_quiet or len(self.queue) > _MAX_WAITING:
            self.settle(None, waits)

    def settle(self, last, waits=True):
        """Waits until what is reported is sent, and a last line if nothing else is; never on the sender, and not for one that hangs."""
        done = allocate_lock()
        done.acquire()
        self.queue.append((last, done))
        if self.sending.locked():
            with contextlib.suppress(RuntimeError):
                self.wake.release()
        else:
            self.start()
        while waits and self.sender != get_native_id() and not done.acquire(True, _CONNECT_SECONDS) and self.is_on_socket:
            pass

    def start(self):
        if not self.is_ended:
            with contextlib.suppress(RuntimeError):  # From 3.12 on a program that ends starts no threads.
                start_new_thread(self.run, ())
                return
        self.run(is_thread=False)

    def finish(self, last):
        if self.queue or self.number:
            self.settle(last)

    def stop(self, last):
        """Ends the sender. Python counts its thread until the system has removed it."""
        sender = self.sender
        if sender != get_native_id():
            self.is_stopping = True
            self.finish(last)
            until = time.monotonic() + 1
            while sender and os.path.exists("/proc/self/task/%d" % sender) and time.monotonic() < until:
                time.sleep(0.0002)

    def run(self, is_thread=True):
        """Sends what is reported, as long as nobody else does."""
        if not self.sending.acquire(False):
            return
        try:
            self.sender = get_native_id()
            self.is_stopping = not is_thread
            if is_thread and hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            self.drain(None if is_thread else "bye")
            while not self.is_stopping:
                self.wake.acquire(True, -1 if self.is_quiet else _DELAY_SECONDS)
                self.drain(None if self.queue or self.is_quiet else "idle")
        except Exception as failure:
            self.lose(failure)
        finally:
            self.sender = None
            self.sending.release()
        if self.queue:
            self.start()

    def drain(self, last):
        while self.queue or last:
            lines = []
            waiting = []
            while self.queue and len(lines) < _MAX_LINES:
                item = self.queue.popleft()
                if isinstance(item, tuple):
                    last = item[0] or last
                    waiting.append(item[1])
                elif not item[0]:
                    item[0] = True
                    self.write(item, lines)
            if lines:
                self.send("".join(lines))
                self.is_quiet = False
            if last and not self.queue:
                self.is_quiet = True
                if not self.queue:
                    self.send('{"op":"%s","n":%d}\n' % (last, self.number))
                    last = None
            for done in waiting:
                done.release()

    def write(self, report, lines):
        _, write, stack = report
        before = self.number
        try:
            reference = self.define(stack, lines) if stack else ""
            for text in write(self):
                self.number += 1
                lines.append('{%s,"n":%d%s}\n' % (text, self.number, reference))
        except Exception as failure:
            self.number = max(self.number, before + 1)
            self.warn("a report was not sent: %r" % (failure,))

    def define(self, stack, lines):
        if self.stacks.get(stack.id) is not stack:
            self.stacks[stack.id] = stack
            frames = [_quoted(frame) for frame in stack.frames]
            while sum(map(len, frames)) > _MAX_STACK:
                frames.pop()
            lines.append('{"op":"stack","id":%d,"frames":[%s]}\n' % (stack.id, ",".join(frames)))
        return ',"stack":%d' % stack.id

    def send(self, text):
        if self.is_over:
            return
        try:
            self.is_on_socket = True
            if self.connection is None:
                self.connect()
            self.connection.sendall(text.encode())
        except OSError as failure:
            self.lose(failure)
        finally:
            self.is_on_socket = False

    def connect(self):
        """With a timeout of Python `connect` would fail at once where the server only is busy."""
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        for option, seconds in ((socket.SO_SNDTIMEO, _CONNECT_SECONDS), (socket.SO_RCVTIMEO, _SEND_SECONDS)):
            self.connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", seconds, 0))
        self.connection.connect(self.path)
        name = os.path.basename(sys.argv[0] if getattr(sys, "argv", None) else "")
        hello = '{"op":"hello","version":1,"pid":%d,"name":%s}\n' % (os.getpid(), _quoted(name))
        self.connection.sendall(hello.encode())
        if not self.connection.recv(4096).startswith(b'{"ok"'):
            raise BlockingIOError
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_SECONDS, 0))

    def lose(self, failure):
        """Ends the reports. The server reads in a file beside its socket which processes it did not hear."""
        if not self.is_over:
            self.is_over = True
            self.is_used = self.ledger is not None
            with contextlib.suppress(OSError), open(self.path + ".unheard", "a") as unheard:
                unheard.write("%d\n" % os.getpid())
            if self.connection is not None:
                self.connection.close()
        why = "it does not answer, as an old server or one that hangs" if isinstance(failure, BlockingIOError) else failure
        self.warn("no server at %s, so nothing more is reported: %s" % (self.path, why))

    def warn(self, what):
        if not self.has_warned:
            self.has_warned = True
            with contextlib.suppress(Exception):
                print("[MeshGuard] Warning: " + what, file=sys.stderr, flush=True)

    # What is allocated, for the plugin of pytest

    def enter(self, key, size, label, stack):
        device, type, address, _ = key
        text = "%d B of %s on device %d at 0x%x" % (size, type.strip('"'), device, address)
        text += ' "%s"' % label if label else ""
        text += ", allocated at " + stack.frames[0].rpartition(" (")[2][:-1] if stack.frames else ""
        self.ledger.setdefault(key, []).append([self.number, size, text])

    def leave(self, key):
        if self.ledger.get(key):
            self.ledger[key].pop()[2] += ", freed later"


def _at_exit():
    """Objects that die later still report, each with another last line."""
    _client.stop("bye")
    _client.is_ended = True


@functools.wraps(os._exit)
def _exit(*args, run=os._exit, **kwargs):
    """Ends a program, or a worker of multiprocessing, without the functions of atexit, but with its last line."""
    try:
        close()
    finally:
        run(*args, **kwargs)


def _after_fork():
    """The child must not use the connection of its parent, and connects with its first report."""
    global _client
    inherited = _client.connection
    _client = _Client()
    if inherited is not None:
        inherited.close()


_client = _Client()
atexit.register(_at_exit)
os._exit = _exit
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lambda: _client.sending.locked() and _client.stop("idle"), after_in_child=_after_fork)


# The plugin of pytest


_left = {}


def pytest_configure(config):
    _client.ledger = {}
    _client.is_used = True


def pytest_report_header(config):
    return "meshguard: " + ("no server, so only the summary" if _client.is_over else "reports to " + _client.path)


def pytest_runtest_logstart(nodeid, location):
    _phase(nodeid)
    flush()
    _client.before_test = _client.number


def pytest_runtest_logfinish(nodeid, location):
    _phase(None)
    flush()
    left = [buffer for buffers in (_client.ledger or {}).values() for buffer in buffers if buffer[0] >= _client.before_test]
    if left:
        _left.setdefault(nodeid, []).extend(left)


def pytest_terminal_summary(terminalreporter):
    if _left:
        terminalreporter.section("memory that tests left (MeshGuard)")
    for nodeid, buffers in _left.items():
        count = "1 buffer" if len(buffers) == 1 else "%d buffers" % len(buffers)
        terminalreporter.write_line("%s left %s, %d B" % (nodeid, count, sum(size for _, size, _ in buffers)))
        for _, _, text in buffers[:10]:
            terminalreporter.write_line("    " + text)
        if len(buffers) > 10:
            terminalreporter.write_line("    … and %d more" % (len(buffers) - 10))
