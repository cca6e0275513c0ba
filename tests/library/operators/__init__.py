"""Every operator on PyTorch's own samples, beside PyTorch.

PyTorch keeps, for each of its operators, a list of inputs that its own tests call it with: ordinary shapes,
tensors without elements, every optional argument, and calls that must raise. Here these calls are made twice,
with PyTorch and with this library, and everything that can be seen is compared.

    python -W ignore -m tests.library.operators            all of it
    python -W ignore -m tests.library.operators add sort   these operators

Needs torch, and the package expecttest, which PyTorch's list of operators imports.
"""
