"""The catalogue: every call can be made, and none is there twice."""

from __future__ import annotations

import os
import subprocess
import sys

from tensorlab.catalogue import KINDS, calls
from tensorlab.core import dtypes

EVERY_CALL = """
import tensorlab as tl
from tensorlab.catalogue import Operands, calls
for element_type in (tl.float32, tl.float64, tl.int64, tl.float16):
    operands = Operands(element_type, 4)
    for call in calls():
        if call.fits(element_type):
            try:
                call.run(operands)
                if element_type.is_floating_point and call.is_differentiable:
                    call.differentiate(operands)
            except Exception as error:
                print(element_type, call.text, type(error).__name__, error)
"""


def test_every_call_can_be_made():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EVERY_CALL],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_no_call_is_listed_twice_and_each_is_of_a_kind():
    found = list(calls())
    assert len({call.text for call in found}) == len(found)
    assert {call.kind for call in found} == set(KINDS)


def test_operations_fit_dtypes():
    named = {call.text: call for call in calls()}
    assert not named["x.mean()"].fits(dtypes.int64)
    assert named["tl.bitwise_and(x, y)"].fits(dtypes.int64)
    assert not named["tl.bitwise_and(x, y)"].fits(dtypes.float32)
    assert named["x.sum()"].fits(dtypes.int64)


WRITTEN = """
import tensorlab as tl
from tensorlab.catalogue import Operands, calls
operands = Operands(tl.float32, 4)
before = {name: operands[name].tolist() for name in ("x", "y", "row", "grid", "mask", "matrix")}
for call in calls():
    if call.fits(tl.float32):
        call.run(operands)
        changed = [name for name, value in before.items() if operands[name].tolist() != value]
        assert not changed, (call.text, changed)
"""


def test_a_call_writes_into_the_target_alone():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", WRITTEN], env=environment, check=True)
