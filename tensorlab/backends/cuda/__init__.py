"""The device ``"cuda"``: kernels for GPUs, written in Python, which run on a GPU and in a simulator.

`tensorlab.backends.cuda.simulator` runs a grid of threads on the CPU and finds what is undefined on a GPU.
On it stand `counts`, which says what a GPU would have to do for a kernel, and `schedules`, which tries orders
of its threads; `tensorlab.cuda` offers both.
Each kind of operation has a module, with its kernels and with what prepares and launches them; `compute` is
the device, and lists where each of its operations stands. `kernel_text` makes kernels of formulas, and
`constants` makes a kernel of another one; `operands` and `rows` are what several of them share.
The product of matrices has more rooms: `gemm` chooses one of `products`, `tensor_cores` and `warpgroups`, and
`ladder` is the way there, rung by rung; `matmul` is PyTorch's switch.
`intrinsics` has the instructions that only GPUs have. `driver` is where simulator and GPU differ, `memory`
keeps what kernels work on, `compiler` makes machine code of a kernel and keeps it for the next process,
`figures` says what that takes, `checked` of which kernels, and `predictions` how long they may take. `graphs`
records launches, and `dlpack` shares memory with other libraries.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

from tensorlab.backends.cuda import matmul

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["VARIABLE", "gpu", "is_simulated", "is_there", "matmul", "missing"]

VARIABLE = "TENSORLAB_CUDA"


def is_simulated() -> bool:
    """Whether ``TENSORLAB_CUDA=simulated`` asks for a GPU in the simulator.

    Raises:
        RuntimeError: the variable says something else.
    """
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "simulated"):
        raise RuntimeError(f"{VARIABLE} is {value!r}; 'simulated' is the one value that it can have")
    return value == "simulated"


@functools.cache
def missing() -> str:
    """What there would have to be for tensors on a GPU; empty if nothing is missing."""
    if importlib.util.find_spec("numba_cuda") is None:
        return (
            "the package numba-cuda is not installed: pip install 'tensorlab[cuda]', or 'tensorlab[cuda12]'"
        )
    return _missing_of_driver()


@functools.cache
def _missing_of_driver() -> str:
    # Of the driver itself: the packages that wrap it take long to import, and "no GPU" is a common answer.
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return "the NVIDIA driver is not installed"
    count = ctypes.c_int()
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if status not in (0, 100):  # CUDA_SUCCESS, CUDA_ERROR_NO_DEVICE
        return f"the NVIDIA driver answers with CUDA error {status}"
    if not count.value:
        return "the NVIDIA driver finds no GPU"
    version, toolkit = ctypes.c_int(), _toolkit()
    driver.cuDriverGetVersion(ctypes.byref(version))
    if version.value // 1000 < toolkit:
        said = f"the NVIDIA driver is for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
        older = ", or pip install 'tensorlab[cuda12]' in a new environment" * (version.value >= 12000)
        return f"{said}, and the installed toolkit is for {toolkit}: update the driver{older}"
    capability = tuple(_attribute(driver, each) for each in (75, 76))  # its major and minor number
    if capability < LEAST:
        found, least = (".".join(map(str, each)) for each in (capability, LEAST))
        return f"the GPU has compute capability {found}, and kernels need {least}"
    return ""


# The compute capability that the kernels are written for.
LEAST = 7, 5


def _toolkit() -> int:
    """The major version of the CUDA toolkit among the packages; 0 if there is none."""
    from importlib import metadata

    try:
        return int(metadata.version("cuda-toolkit").split(".")[0])
    except metadata.PackageNotFoundError:
        return 0


def _attribute(driver: Any, number: int) -> int:
    """An attribute of the first GPU, by its ``CUdevice_attribute``."""
    gpu, found = ctypes.c_int(), ctypes.c_int()
    driver.cuDeviceGet(ctypes.byref(gpu), 0)
    driver.cuDeviceGetAttribute(ctypes.byref(found), number, gpu)
    return found.value


def is_there() -> bool:
    """Whether there is a device ``"cuda"``: in the simulator if that is asked for, else a GPU."""
    return is_simulated() or not missing()


def gpu(asked: str) -> Cuda:
    """The device ``"cuda"``.

    Args:
        asked: who needs it, with which the error begins.

    Raises:
        RuntimeError: there is none.
    """
    if not is_there():
        raise RuntimeError(
            f"{asked}: there is no CUDA device ({missing()}). "
            f"Compute on the CPU, or let the program choose: device = 'cuda' if "
            f"tensorlab.cuda.is_available() else 'cpu'. To see a small program run as on a GPU, start Python "
            f"with {VARIABLE}=simulated, after pip install 'greenlet>=3.5,<4'"
        )
    return _device(is_simulated())


@functools.cache
def _device(simulated: bool) -> Cuda:
    from tensorlab.backends.cuda.compute import Cuda
    from tensorlab.backends.cuda.driver import Gpu, Simulated

    if simulated:
        return Cuda(Simulated())
    from cuda.bindings import driver

    return Cuda(Gpu(driver))
