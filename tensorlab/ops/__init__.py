"""What users call: functions of tensors, and the methods and operators of `Tensor` made from them.

The decorator `op` marks an operator, over its ``def`` (see `tensorlab.registry`). Every module in here is
loaded, so that its operators are known.
"""

from __future__ import annotations

import importlib
import pkgutil

from tensorlab.autograd import methods as autograd_methods
from tensorlab.ops import methods

__all__ = ["autograd_methods"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

methods.bind()
