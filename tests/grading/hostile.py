"""Kinds of code that fight the grader, beside those of `test_hostile_code`: cells, and answers to numel."""

from __future__ import annotations

#: What a cell does when it has found what it should not: the answers after it fail.
POISON = "import builtins; builtins.range = builtins.len = builtins.enumerate = builtins.zip = None"

#: Cells that stand before five right answers and must cost nothing.
CELLS = {
    "patched protocol": "import json\njson.dumps = lambda *args, **options: '{}'",
    "patched frames": "import sys\nsys.modules['inside.frames'].pack = lambda message: b''",
    "the main module is gone": "import sys\ndel sys.modules['__main__']",
    "all names are gone": "globals().clear()",
    "tracer": "import sys\nsys.settrace(lambda *args: None)",
    "hooks are nothing": "import sys\nsys.excepthook = sys.unraisablehook = sys.displayhook = None",
    "at the end": "import atexit, time\natexit.register(time.sleep, 600)",
    "a thread that stays": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()",
    "debugger": "breakpoint()",
    "reads all input": "import sys\nsys.stdin.read()",
    "address 0": "import ctypes\nctypes.string_at(0)",
    "abort": "import os\nos.abort()",
    "nested without end": "import json\njson.loads('[' * 1_000_000)",
    "start-up files": """
import os, sys
folder = os.path.expanduser(f"~/.local/lib/python3.{sys.version_info[1]}/site-packages")
os.makedirs(folder)
for name in ("usercustomize.py", "sitecustomize.py", "evil.pth"):
    open(os.path.join(folder, name), "w").write("import os; os._exit(1)")
""",
    "shadow modules": """
for name in ("math", "numpy", "tensorlab", "json"):
    open(name + ".py", "w").write("raise SystemExit")
""",
    "poisoned kernels": """
import os
for folder, _, _ in os.walk(os.environ["NUMBA_CACHE_DIR"]):
    open(os.path.join(folder, "evil.nbi"), "wb").write(b"cos\\nsystem\\n(S'exit'\\ntR.")
""",
    "a folder without rights": "import os\nos.makedirs('a/b')\nos.chmod('a', 0)",
    "links": "import os\nos.symlink('/etc', 'etc')\nos.symlink('loop', 'loop')",
    "many files": "for n in range(2000): open(f'file {n}', 'w').close()",
    "many functions": "for n in range(10_000): exec(f'def f{n}(): pass')",
    "a large cell": "# " + "x" * 400_000,
    "lying clocks": "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0",
    "warnings are errors": "import warnings\nwarnings.simplefilter('error')",
    "garbage stays": "import gc\ngc.disable()",
    "few digits": "import sys\nsys.set_int_max_str_digits(640)",
    "another folder": "import os\nos.chdir('/')",
    "no rights for new files": "import os\nos.umask(0o777)",
    "names that are no text": "globals()[7] = lambda: None\nglobals()['a b'] = lambda: None",
    "an event loop": "import asyncio\nasyncio.run(asyncio.sleep(0))",
    "an audit hook": "import sys\nHEARD = []\nsys.addaudithook(lambda *heard: HEARD.append(heard))",
    "a hook on garbage": "import gc\ngc.callbacks.append(lambda phase, info: 1 / 0)\ngc.set_threshold(1)",
    "an import that finds nothing": """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None): raise ImportError(name)
sys.meta_path.insert(0, Nothing())
sys.path.clear()
""",
    "an object whose end ends the process": """
import os
class End:
    def __del__(self): os._exit(0)
end = End()
del end
""",
    "another grammar": "from __future__ import barry_as_FLUFL\n1 <> 2",
    "a null character": "x = 1\0",
    "half a character": "x = '\ud800'",
    "text from right to left": "level = 'user\u202e \u2066# admin\u2069 \u2066'",
    "numbers of another precision": """
import decimal, numpy, random
decimal.getcontext().prec = 1
numpy.seterr(all="raise")
random.seed(0)
""",
    "the library's settings": "import tensorlab as tl\ntl.set_default_dtype(tl.float64)\ntl.manual_seed(7)",
    "an answer sheet in the module": "import sys\nsys.modules['tensorlab.grading'] = sys.modules['json']",
    "threads without end": """
import threading, time
try:
    while True: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
except RuntimeError:
    pass
""",
    "a file as large as a disk": "with open('large', 'wb') as f: f.truncate(1 << 40)",
    "a folder in a folder in a folder": """
import os
for _ in range(2000):
    os.mkdir("d")
    os.chdir("d")
""",
}

#: The same, of what only a box that is closed off holds against. They go wrong when they find anything.
CELLS_TO_CLOSE_OFF = {
    "a file for the next box": f"""
import os
for path in ("/tmp/mark", "/dev/shm/mark", os.path.expanduser("~/mark")):
    if os.path.exists(path):
        {POISON}
    open(path, "w").close()
""",
    "memory for the next box": f"""
import ctypes
if ctypes.CDLL(None).shmget(22_22_22, 4096, 0o3666) >= 0:
    {POISON}
""",
    "a server for the next box": f"""
import os, socket, time
place = chr(0) + "mark"
try:
    socket.socket(socket.AF_UNIX).connect(place)
    {POISON}
except OSError:
    pass
if os.fork() == 0:
    os.setsid()
    server = socket.socket(socket.AF_UNIX)
    server.bind(place)
    server.listen()
    time.sleep(600)
""",
    "secrets in the environment": f"""
import os
if any("SECRET" in name or "TOKEN" in name for name in os.environ):
    {POISON}
""",
    "other processes": f"""
import os
if any(name.isdecimal() for name in os.listdir("/proc")) or os.getppid() > 1:
    {POISON}
""",
    "a notebook of somebody else": f"""
import glob
if glob.glob("/tmp/**/*.ipynb", recursive=True) or glob.glob("/root/*") or glob.glob("/home/*/*"):
    {POISON}
""",
    "hints and known solutions": f"""
import glob, os, tensorlab
found = glob.glob(os.path.dirname(tensorlab.__file__) + "/**/*", recursive=True)
if any("suites" in name or "/learn/" in name or "/cli/" in name for name in found):
    {POISON}
""",
    "the filter of system calls": f"""
import ctypes
calls = ctypes.CDLL(None, use_errno=True)
if calls.unshare(0x10000000) == 0 or calls.mount(b"a", b"/tmp", b"tmpfs", 0, None) == 0:
    {POISON}
""",
    "rights": f"""
import ctypes
data = (ctypes.c_uint32 * 6)()
ctypes.CDLL(None).capget((ctypes.c_uint32 * 2)(0x20080522, 0), data)
if any(data):
    {POISON}
""",
    "a ring of keys": f"""
import ctypes
if ctypes.CDLL(None).syscall(248, b"user", b"mark", b"x", 1, -3) >= 0:
    {POISON}
""",
    "memory that no process shows": f"""
import os
try:
    os.memfd_create("mark")
    {POISON}
except OSError:
    pass
""",
    "a debugger of its parent": f"""
import ctypes, os
libc = ctypes.CDLL(None)
if any(libc.ptrace(how, pid, None, None) == 0 for how in (16, 0x4206) for pid in (1, os.getppid())):
    {POISON}
""",
    "signals to all": f"""
import os
for pid in (-1, 1, os.getppid()):
    try:
        os.kill(pid, 9)
        if pid > 0:
            {POISON}
    except OSError:
        pass
""",
    "sockets of other families": f"""
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK):
    try:
        socket.socket(family, socket.SOCK_DGRAM)
        {POISON}
    except OSError:
        pass
""",
    "devices": f"""
import os, stat
try:
    os.mknod("disk", stat.S_IFBLK | 0o666, os.makedev(8, 0))
    {POISON}
except OSError:
    pass
for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/kvm", "/dev/fuse", "/sys/kernel", "/proc/kcore"):
    if os.path.exists(path):
        {POISON}
""",
    "writes into the library": f"""
import os, sys, tensorlab
for folder in (os.path.dirname(tensorlab.__file__), sys.prefix, os.path.dirname(os.__file__), "/", "/usr"):
    try:
        open(os.path.join(folder, "mark.py"), "w").close()
        {POISON}
    except OSError:
        pass
""",
    "somebody else": f"""
import os
for become in (lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.chroot("."), lambda: os.setgid(0)):
    try:
        become()
        {POISON}
    except OSError:
        pass
""",
    "descriptors that it was not given": f"""
import os, stat
for number in range(3, 256):
    try:
        if not stat.S_ISFIFO(os.fstat(number).st_mode):
            {POISON}
    except OSError:
        pass
""",
    "calls with a history": f"""
import ctypes
libc = ctypes.CDLL(None)
for call in (425, 321, 323, 298, 310, 438, 265):  # io_uring, bpf, userfaultfd, perf, process_vm_readv, pidfd
    if libc.syscall(call, 1, 0, 0, 0, 0, 0) >= 0:
        {POISON}
""",
    "fills all that it may write to": """
for folder in (".", "/tmp", "/dev/shm"):
    try:
        for number in range(9):
            with open(f"{folder}/{number}", "wb") as file: file.write(bytes(60 << 20))
    except OSError:
        pass
""",
    "a bomb of forks": """
import os
while True:
    try: os.fork()
    except OSError: pass
""",
}

#: Answers in place of numel that earn nothing.
ANSWERS = {
    "searches the memory": """
import gc
def numel(shape):
    found = [each for each in gc.get_objects() if type(each).__name__ in ("Case", "Question", "Exercise")]
    return found[0].want if found else 0
""",
    "looks into its callers": """
import sys
def numel(shape):
    frame = sys._getframe()
    while frame := frame.f_back:
        for name in ("want", "expected", "answer"):
            if name in frame.f_locals: return frame.f_locals[name]
""",
    "asks the environment": "import os\ndef numel(shape): return os.environ.get('ANSWER', 0)",
    "a number of NumPy": "import math, numpy\ndef numel(shape): return numpy.int64(math.prod(shape) % 2**31)",
    "an array of NumPy": "import math, numpy\ndef numel(shape): return numpy.array(math.prod(shape) % 2**31)",
    "a masked array": "import numpy\ndef numel(shape): return numpy.ma.masked_all(3)",
    "a tensor": "import math, tensorlab as tl\ndef numel(shape): return tl.tensor(math.prod(shape) % 2**31)",
    "a float": "import math\ndef numel(shape): return float(math.prod(shape) % 2**31)",
    "a fraction": "import math, fractions\ndef numel(shape): return fractions.Fraction(math.prod(shape))",
    "a decimal": "import math, decimal\ndef numel(shape): return decimal.Decimal(math.prod(shape))",
    "a text": "import math\ndef numel(shape): return str(math.prod(shape))",
    "true": "def numel(shape): return True",
    "no number": "def numel(shape): return float('nan')",
    "in a list": "import math\ndef numel(shape): return [math.prod(shape)]",
    "in bytes": "import math\ndef numel(shape): return b'x' * 10**7",
    "an enumeration": """
import enum, math
def numel(shape): return enum.IntEnum("Count", {"N": math.prod(shape) + 1}).N
""",
    "a pickle that bites": """
class Bite:
    def __reduce__(self): return (print, ("bitten",))
def numel(shape): return Bite()
""",
    "a coroutine": "import math\nasync def numel(shape): return math.prod(shape)",
    "a class": "class numel:\n    def __init__(self, shape): pass",
    "other arguments": "def numel(): return 6",
    "raises it": "import math\ndef numel(shape): raise ValueError(math.prod(shape))",
    "prints it": "import math\ndef numel(shape): print(math.prod(shape))",
    "stops an iteration": "def numel(shape): raise StopIteration(6)",
    "an exception of its own": "class Passed(BaseException): pass\ndef numel(shape): raise Passed('24')",
    "a group of exceptions": "def numel(shape): raise ExceptionGroup('all', [ValueError()] * 99)",
    "an object that never answers": """
class Slow:
    def __getattribute__(self, name):
        while True: pass
def numel(shape): return Slow()
""",
    "a type with a name": "def numel(shape): return type('\\x1b[31m<script>', (), {})()",
    "a formula": "def numel(shape): raise ValueError('=cmd|calc!A0')",
    "markup": "def numel(shape): return '<script>alert(1)</script>'",
    "a module": "import math\ndef numel(shape): return math",
    "itself": "def numel(shape): return numel",
    "a dictionary of itself": "def numel(shape):\n    d = {}\n    d[0] = d\n    return d",
    "half by heart": "def numel(shape): return {(): 1, (3,): 3, (2, 3): 6}.get(tuple(shape), 0)",
    "anything": "from unittest.mock import ANY\ndef numel(shape): return ANY",
    "a number of its own": """
import math
class Int(int): pass
def numel(shape): return Int(math.prod(shape))
""",
    "a number with an imaginary part": """
import math
def numel(shape): return complex(math.prod(shape) % 2**31)
""",
    "another type at every look": """
import itertools
KINDS = itertools.cycle((int, str, float))
class Changing:
    __class__ = property(lambda self: next(KINDS))
    __index__ = __int__ = __hash__ = lambda self: 6
def numel(shape): return Changing()
""",
    "not implemented": "def numel(shape): return NotImplemented",
    "a proxy": """
import weakref
class Number:
    def __eq__(self, other): return True
KEPT = Number()
def numel(shape): return weakref.proxy(KEPT)
""",
    "an end that ends the process": """
import os
class End:
    def __del__(self): os._exit(0)
def numel(shape): return End()
""",
    "writes its own description": """
import sys
values = sys.modules["inside.values"]
def numel(shape):
    right = values.encode
    def wrong(value, scene=None):
        values.encode = right
        return {"int": "0x6"}
    values.encode = wrong
    return 0
""",
    "calls the call right": """
import sys
runner = sys.modules["inside.runner"]
def numel(shape):
    right = runner._write_all
    def wrong(descriptor, data):
        runner._write_all = right
        right(descriptor, data.replace(b'"int": "0x0"', b'"bool": true ').replace(b'"held"', b'"mark"'))
    runner._write_all = wrong
    return 0
""",
    "zero and one are the same": """
import ctypes
def numel(shape):
    ctypes.memmove(id(0) + 24, (1).to_bytes(4, "little"), 4)
    return 0
""",
    "the public answers in their order": """
ORDER = iter([1, 3, 1, 6, 6, 24, 0, 1, 0, 0, 0, 2**64, 10**21] * 9)
def numel(shape): return next(ORDER)
""",
    "guesses": "import random\ndef numel(shape): return random.choice((0, 1, 6, 24))",
    "becomes another function": """
def numel(shape):
    global numel
    numel = lambda shape: 24
    return 6
""",
    "an error that is its own cause": """
def numel(shape):
    error = ValueError(1)
    error.__cause__ = error.__context__ = error
    raise error
""",
    "a chain of errors": """
def numel(shape):
    last = None
    for n in range(50_000):
        error = ValueError(n)
        error.__cause__ = last
        last = error
    raise last
""",
    "an error of many types": """
class Both(IndexError, ValueError, TypeError, RuntimeError): pass
def numel(shape): raise Both(24)
""",
    "a line number without end": """
def numel(shape):
    error = SyntaxError("no")
    error.lineno = 10**5000
    raise error
""",
    "a name without end": "def numel(shape): return type('N' * 10**7, (), {})()",
    "a module that lies": "def numel(shape): return type('int', (), {'__module__': 'builtins'})()",
    "endless lists that are empty": """
import tensorlab as tl
EMPTY = tl.zeros(2000, 2000, 2000, 0)
def numel(shape): return EMPTY
""",
    "a tensor of a thousand dimensions": """
import tensorlab as tl
ONE = tl.zeros((1,) * 1500)
def numel(shape): return ONE
""",
    "a tensor outside of its memory": """
import tensorlab as tl
TAKEN = tl.zeros(3)
TAKEN._shape = TAKEN._stride = (10**18, -1)
def numel(shape): return TAKEN
""",
    "a text that is a template": "def numel(shape): return '{0.__class__} %s ${HOME} `id` {{7*7}}'",
    "a text of another direction": "def numel(shape): return '\u202e' * 100 + '\ufeff\u2028'",
    "a thread that answers later": """
import threading, time
def numel(shape):
    answer = []
    threading.Thread(target=lambda: (time.sleep(0.2), answer.append(24))).start()
    return answer
""",
    "waits for a trace": """
import sys
def spy(frame, event, argument):
    frame.f_locals.update(value=24, want=24)
    sys.settrace(None)
def numel(shape):
    sys.settrace(spy)
    return 0
""",
}
