"""The device ``"cuda"``: kernels for GPUs, written in Python, which run in a simulator.

`tensorlab.backends.cuda.simulator` runs a grid of threads on the CPU and finds what is undefined on a GPU.
The kernels stand in `kernels`, and those made of a formula in `text`; `compute` launches them, and `memory`
keeps what they work on.
"""
