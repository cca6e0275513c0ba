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
}
