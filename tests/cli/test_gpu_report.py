"""``tensorlab test --gpu``: what it finds is kept however it ends, with stand-ins for tests and sanitizer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer

from tensorlab.backends import cuda
from tensorlab.cli import test
from tensorlab.cli.support import gpu_report, sanitizer
from tensorlab.cli.support.project import find_root, run_module

# --- the report ---------------------------------------------------------------------------------------------

FOUND = """
import os, signal
from tensorlab.backends import cuda
from tensorlab.backends.cuda.driver import AcceleratorError
from tensorlab.cli.support import gpu_report

lost = []


def test_passes():
    pass


def test_fails():
    assert "one" == "two", "a difference in words"


def test_loses_the_gpu():
    def synchronize():
        raise AcceleratorError("CUDA error: CUDA_ERROR_ILLEGAL_ADDRESS", 700)

    lost.append(True)
    cuda.gpu("tests").driver.synchronize = synchronize


def test_is_elsewhere():
    assert not lost


def test_dies():
    gpu_report.append({"difference": "found on the way", "of": "test_dies"})
    os.kill(os.getpid(), signal.SIGKILL)


def test_comes_last():
    pass
"""


@pytest.fixture
def tests(tmp_path, monkeypatch):
    """A file of tests in place of those that a GPU runs, and a card in place of the GPU."""
    file = tmp_path / "test_found.py"
    file.write_text(FOUND)
    monkeypatch.setattr(test, "ON_GPU", [str(file)])
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(cuda, "missing", lambda: "")
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    monkeypatch.setenv("CUDA_HOME", os.fspath(tmp_path))
    for name in (gpu_report.OUT, gpu_report.UNTIL, "TENSORLAB_TEST_GPU", "PYTEST_XDIST_WORKER"):
        monkeypatch.setenv(name, "")  # which the command sets, and the test takes back
    return file


def ended(rows):
    """The outcomes of the tests, by their names."""
    return {row["test"].partition("::")[2]: row["outcome"] for row in rows if "test" in row}


def test_a_process_that_is_killed_leaves_what_it_found(tests, tmp_path, monkeypatch):
    report = tmp_path / "report.jsonl"
    monkeypatch.setenv(gpu_report.OUT, os.fspath(report))
    monkeypatch.setenv(gpu_report.UNTIL, "inf")
    asked = ["-p", "no:cacheprovider", "-p", "tests.gpu_report", "-n0", str(tests)]
    found = subprocess.run([sys.executable, "-m", "pytest", *asked], cwd=find_root(), stdout=subprocess.PIPE)
    assert found.returncode == -9
    rows = gpu_report.read(report)
    assert rows[-1] == {"difference": "found on the way", "of": "test_dies"}
    assert ended(rows) == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_loses_the_gpu": "passed",
        "test_is_elsewhere": "failed",
    }
    assert any("a difference in words" in row.get("text", "") for row in rows)
    assert [name.partition("::")[2] for name in gpu_report.summary(rows)["not_run"]] == [
        "test_dies",
        "test_comes_last",
    ]


def test_a_lost_gpu_and_a_crash_cost_one_test_each(tests, tmp_path, monkeypatch):
    report = tmp_path / "folder" / "report.jsonl"
    with pytest.raises(typer.Exit) as ended_with:
        test.run(gpu=True, limit=600, out=report)
    assert ended_with.value.exit_code == 1
    card, *rows, last = gpu_report.read(report)
    assert card["card"] == "tensorlab's simulator"
    assert ended(rows) == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_loses_the_gpu": "failed",
        "test_is_elsewhere": "passed",
        "test_dies": "failed",
        "test_comes_last": "passed",
    }
    found = [row["difference"] for row in rows if "difference" in row]
    assert found == ["CUDA error: CUDA_ERROR_ILLEGAL_ADDRESS", "found on the way"]
    assert last["is_whole"]
    assert (last["passed"], len(last["failed"]), last["not_run"]) == (3, 3, [])
    assert {"sanitizer": ""}.items() <= next(row for row in rows if "sanitizer" in row).items()


def test_what_runs_on_a_gpu_takes_it_where_there_is_one():
    for name in test.ON_GPU:
        text = (find_root() / "tests" / "library" / name).read_text("utf-8")
        assert "from tests.library.device import" in text, name


def test_when_the_time_is_over_no_test_is_begun_and_all_are_named(tests, tmp_path, capsys):
    report = tmp_path / "report.jsonl"
    with pytest.raises(typer.Exit):
        test.run(gpu=True, limit=0, out=report)
    last = gpu_report.read(report)[-1]
    assert not last["is_whole"]
    assert (last["passed"], last["failed"], last["skipped"], len(last["not_run"])) == (0, [], 0, 6)
    assert last["not_run"][-1].endswith("::test_comes_last")
    assert "6 not run" in capsys.readouterr().out


def test_a_program_that_does_not_end_is_killed(tmp_path):
    assert run_module("timeit", ["-n1", "import time; time.sleep(1000)"], tmp_path, limit=0.1) == -9


# --- compute-sanitizer --------------------------------------------------------------------------------------

# What versions 2021 to 2025 wrote of kernels of Numba and of others, from bug reports: the frames of the host
# and further threads are left out.
MEMCHECK_2021 = """========= COMPUTE-SANITIZER
test_kernel_arg (numba.cuda.tests.cudapy.test_cuda_array_interface.TestCudaArrayInterface) ...
========= Invalid __global__ read of size 8 bytes
=========     at 0xb0 in cudapy::numba::cuda::tests::cudapy::test_cuda_array_interface::\
TestCudaArrayInterface::test_kernel_arg::$3clocals$3e::mutate$241(Array<long long, (int)1, C, mutable, \
aligned>, long long)
=========     by thread (32,0,0) in block (0,0,0)
=========     Address 0x7f94cd200100 is out of bounds
========= Invalid __global__ write of size 4 bytes
=========     at 0x9a0 in cudapy::__main__::CalcuArea_241[abi:cw51cXTLSUwv1kAPW1tQPAP9CY9GJAHUqIFJIBltW60](\
long long, Array<double, (int)1, C, mutable, aligned>, Array<float, (int)2, C, mutable, aligned>)
=========     by thread (1,1,0) in block (0,0,0)
=========     Address 0x7f7767200660 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========     Host Frame:cuLaunchKernel [0x8a600a]
=========                in /usr/lib/x86_64-linux-gnu/libcuda.so.1
========= Invalid __global__ read of size 4 bytes
=========     at 0xcc0 in /home/user/issues/8740/repro.py:38:__main__::grid_sync_kernel[abi:v1,cw51cXTLS](\
Array<float, (int)1, C, mutable, aligned>, Array<long long, (int)1, C, mutable, aligned>)
=========     by thread (0,0,0) in block (1,0,0)
=========     Address 0x7f760a600010 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f760a600000 of size 16 bytes
=========     Device Frame:cudapy::__main__::grid_sync_kernel[abi:v1,cw51cXTLS](Array<float, (int)1, C, \
mutable, aligned>, Array<long long, (int)1, C, mutable, aligned>) [0x530]
========= ERROR SUMMARY: 3 errors
"""
MEMCHECK_2024 = """========= COMPUTE-SANITIZER
Before: Array 0, 1 .. N-1: 1.000000 1.000000 1.000000
========= Invalid __global__ read of size 4 bytes
=========     at scaleArray(float *, float)+0x70 in writeValidMem.cu:6
=========     by thread (255,0,0) in block (3,0,0)
=========     Address 0x74b834000ffc is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x74b834000000 of size 4,092 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0x8ae3] in cs-writeValidMem
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API \
call to cudaDeviceSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame: main [0x8a94] in cs-writeValidMem
=========
After : Array 0, 1 .. N-1: 3.000000 3.000000 1.000000
========= ERROR SUMMARY: 2 errors
"""
RACECHECK = """========= COMPUTE-SANITIZER
========= Warning: Maximum number of hazards reached. Environment variable \
NV_COMPUTE_SANITIZER_MAX_RACECHECK_HAZARDS can be used to increase this count.
=========
========= Warning: Race reported between Read access at compress(const unsigned int *, const unsigned int *, \
uint2 *, int)+0x260
=========     and Write access at compress(const unsigned int *, const unsigned int *, uint2 *, int)+0x200 \
[294291 hazards]
=========     and Write access at compress(const unsigned int *, const unsigned int *, uint2 *, int)+0x2b0 \
[294127 hazards]
=========
========= Warning: Race reported between Read access at compress(const unsigned int *, const unsigned int *, \
uint2 *, int)+0x270
=========     and Write access at compress(const unsigned int *, const unsigned int *, uint2 *, int)+0x200 \
[294291 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (0 errors, 2 warnings)
"""
INITCHECK = """========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 1 bytes
=========     at 0x150 in void cudf::_GLOBAL__N__56_tmpxft_000007d8::count_set_bits_kernel<int=256>(unsigned \
int const *,int,int,int*)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7fc406200400
========= Uninitialized __global__ memory read of size 8 bytes
=========     at void cub::DeviceMergeSortKernel<(int)2, const unsigned long long *>(T2)+0x8a70 in \
/home/user/cccl/cub/cub/thread/thread_load.cuh:260
=========     by thread (16,0,0) in block (80,0,0)
=========     Address 0x7f615d40daf0
========= ERROR SUMMARY: 2 errors
"""
SYNCCHECK = """========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in warp
=========     at 0x000046b8 in /home/user/cuda_intrinsics/synchronization.jl:12:ptxcall_computeBetas_3
=========     by thread (2,0,0) in block (0,0,0)
=========     Device Frame:/home/user/cuda_intrinsics/synchronization.jl:12:ptxcall_computeBetas_3 \
(ptxcall_computeBetas_3 : 0x46c0)
========= ERROR SUMMARY: 1 error
"""


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (MEMCHECK_2021, {"mutate": 1, "CalcuArea": 1, "grid_sync_kernel": 1}),
        (MEMCHECK_2024, {"scaleArray": 1}),
        (RACECHECK, {"compress": 2}),
        (INITCHECK, {"count_set_bits_kernel": 1, "DeviceMergeSortKernel": 1}),
        (SYNCCHECK, {"ptxcall_computeBetas": 1}),
    ],
)
def test_errors_are_counted_by_kernel(text, errors):
    found = sanitizer.said(text)
    assert found["errors"] == errors
    assert not sanitizer.is_clean(found)
    launched = sanitizer.said(text + '{"launched": {"scale": 1}}\n')
    assert not sanitizer.is_clean(launched)


CLEAN = {
    "memcheck": "========= ERROR SUMMARY: 0 errors",
    "racecheck": "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)",
}


@pytest.mark.parametrize("tool", CLEAN)
def test_a_tool_is_believed_if_the_program_came_to_its_end(tool):
    banner, ran = "========= COMPUTE-SANITIZER\n", '{"launched": {"scale": 1}}\n'
    assert sanitizer.is_clean(sanitizer.said(banner + ran + CLEAN[tool]))
    assert not sanitizer.is_clean(sanitizer.said(banner + CLEAN[tool]))  # as version 2024.1 on Windows
    assert not sanitizer.is_clean(sanitizer.said(banner + ran))


def test_the_tools_run_beside_the_tests_and_what_they_find_fails(tests, tmp_path, monkeypatch):
    tests.write_text("def test_passes():\n    pass\n")
    program = tmp_path / "bin" / "compute-sanitizer"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"found = {RACECHECK!r} if 'racecheck' in sys.argv else {CLEAN['memcheck']!r}\n"
        "assert sys.argv[-2:] == ['-m', 'tests.library.every_kernel']\n"
        'print(\'{"launched": {"softmax": 1}}\')\nprint(found)\n'
    )
    program.chmod(0o755)
    report = tmp_path / "report.jsonl"
    with pytest.raises(typer.Exit) as ended_with:
        test.run(gpu=True, limit=600, out=report)
    assert ended_with.value.exit_code == 1
    rows = gpu_report.read(report)
    found = {row["sanitizer"]: (row["is_clean"], row["errors"]) for row in rows if "sanitizer" in row}
    assert found == {
        tool: (tool != "racecheck", {"compress": 2} if tool == "racecheck" else {})
        for tool in sanitizer.TOOLS
    }
    assert rows[-1]["is_whole"]
    assert (tmp_path / "report.racecheck.txt").read_text().strip().endswith("(0 errors, 2 warnings)")
