"""What all optimizers have: groups of parameters with their settings, and what is remembered of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from copy import deepcopy
from itertools import chain
from typing import Any

from tensorlab.autograd.hooks import Handle, HookList
from tensorlab.backends import HOST
from tensorlab.backends.cuda.graphs import is_current_stream_capturing
from tensorlab.core import dtypes
from tensorlab.core.modes import enable_grad, no_grad
from tensorlab.ops.creation import full, full_like
from tensorlab.ops.update import counted_up
from tensorlab.tensor import Tensor

__all__ = ["Optimizer", "check_range", "counter", "rate_of", "remembered", "required"]

required = object()  # the default of a setting that every group must bring itself


class Optimizer:
    """The base of all optimizers.

    An optimizer of your own overrides `step`, reads ``self.param_groups``, a list of dicts with the
    parameters under ``"params"`` and the settings beside them, and keeps what it remembers in
    ``self.state[parameter]``. The optimizers of this package override `_move` instead, which moves one
    parameter.

    Args:
        params: the parameters, or pairs of a name and a parameter, or dicts, each a group with settings of
            its own.
        defaults: the settings of groups that do not bring their own.

    Raises:
        TypeError: `params` is a tensor, a group's parameters are a set, or one is no tensor.
        ValueError: there is no parameter, one is no leaf of the graph, or one is in two groups.

    Example:
        >>> import tensorlab as tl
        >>> class Halve(tl.optim.Optimizer):
        ...     def __init__(self, params):
        ...         super().__init__(params, {})
        ...     @tl.no_grad()
        ...     def step(self, closure=None):
        ...         for group in self.param_groups:
        ...             for x in group["params"]:
        ...                 x.mul_(0.5)
        >>> x = tl.tensor([4.0], requires_grad=True)
        >>> Halve([x]).step()
        >>> x
        tensor([2.], requires_grad=True)
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._pre_hooks, self._post_hooks = HookList(), HookList()
        self._opt_called = False  # PyTorch's name: schedulers warn if they step before the optimizer does
        if defaults.get("differentiable"):
            raise NotImplementedError(
                "differentiable=True is not covered: a step overwrites the parameter, so no gradient can "
                "follow it; write the update with operations, x = x - lr * grad"
            )
        if isinstance(params, Tensor):
            raise TypeError(
                f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}: put it into a list"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list: give it model.parameters()")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with settings of their own, such as those of layers that are trained later.

        Args:
            param_group: the parameters under ``"params"``, and settings; those that it lacks are the
                defaults.

        Raises:
            TypeError, ValueError: as the class.

        Example:
            >>> import tensorlab as tl
            >>> x, y = (tl.zeros(2, requires_grad=True) for _ in range(2))
            >>> optimizer = tl.optim.SGD([x], lr=0.1)
            >>> optimizer.add_param_group({"params": [y], "lr": 0.01})
            >>> [group["lr"] for group in optimizer.param_groups]
            [0.1, 0.01]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, (set, frozenset)):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        parameters = [given] if isinstance(given, Tensor) else list(given)
        names = [each[0] for each in parameters if isinstance(each, tuple)]
        if names and len(names) != len(parameters):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        if names:
            parameters = [each[1] for each in parameters]
        for each in parameters:
            if not isinstance(each, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(each).__name__}"
                )
            if not (each.is_leaf or each.retains_grad):
                raise ValueError(
                    "can't optimize a non-leaf Tensor: it was computed, so no step can change what it is "
                    "computed of; optimize that, or detach() this one and require a gradient of it"
                )
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
        known = {id(each) for group in self.param_groups for each in group["params"]}
        if known & {id(each) for each in parameters}:
            raise ValueError("some parameters appear in more than one parameter group")
        if len({id(each) for each in parameters}) != len(parameters):
            raise ValueError(
                "optimizer contains a parameter group with duplicate parameters: a step would move one twice"
            )
        group = {**param_group, "params": parameters, **({"param_names": names} if names else {})}
        self.param_groups.append({**self.defaults, **group})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters.

        Args:
            set_to_none: leave None; with False zeros in the same memory.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.ones(2, requires_grad=True)
            >>> x.sum().backward()
            >>> tl.optim.SGD([x]).zero_grad()
            >>> x.grad is None
            True
        """
        for parameter in self._parameters():
            if set_to_none:
                parameter.grad = None  # type: ignore[misc]
            elif parameter.grad is not None:
                parameter.grad.detach_().zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss anew, with its gradients; called once, before the step.

        Returns:
            what the closure returned, or None.
        """
        for hook in self._pre_hooks:
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad(), ExitStack() as together:
            for backend in {parameter._storage.backend for parameter in self._parameters()}:
                together.enter_context(backend.together())
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._move(group, parameter, parameter.grad, self.state[parameter])
        self._opt_called = True
        for hook in self._post_hooks:
            hook(self, (closure,), {})
        return loss

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        """Move one parameter."""
        raise NotImplementedError(f"{type(self).__name__} has no step() of its own: an optimizer needs one")

    def _count(self, group: dict[str, Any], parameter: Tensor, state: dict[str, Any]) -> Any:
        """Count one more step of a parameter: in a tensor, as in PyTorch, so that it is saved too.

        Returns:
            which step it is: a number, or with ``capturable=True`` the tensor, which lies on the GPU.

        Raises:
            AssertionError: with ``capturable=True``, the parameter or the count does not lie on a GPU.
            RuntimeError: launches are recorded for a graph, whose replays would not count.
        """
        if group.get("capturable"):
            counted = counter(group, parameter, state, "step")
            if not (parameter.is_cuda and counted.is_cuda):
                raise AssertionError(
                    f"If capturable=True, params and state_steps must be on supported devices: ['cuda']. The "
                    f"parameter lies on {str(parameter.device)!r}, and the count of its steps on "
                    f"{str(counted.device)!r}: move the parameters to a GPU first, or leave capturable out"
                )
            return counted_up(counted)
        if is_current_stream_capturing():
            cure = (
                "make it with capturable=True"
                if "capturable" in group
                else "record forward and backward alone, and call step() behind replay()"
            )
            raise RuntimeError(
                f"Attempting CUDA graph capture of step() for an instance of {type(self).__name__} but "
                f"param_groups' capturable is False: it counts its steps in Python, and every replay would "
                f"be the same step. Instead, {cure}"
            )
        if "step" not in state:
            counter(group, parameter, state, "step")
        counted = state["step"]
        if counted._storage.backend is not HOST:  # as a step with capturable=True left it
            counted = state["step"] = counted.cpu()
        cells, first = counted._at
        cells[first] = step = cells.item(first) + 1
        return step

    def register_step_pre_hook(self, hook: Callable) -> Handle:
        """Call ``hook(optimizer, args, kwargs)`` before every step; the handle's `remove` ends that."""
        return self._pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable) -> Handle:
        """Call ``hook(optimizer, args, kwargs)`` after every step; the handle's `remove` ends that."""
        return self._post_hooks.add(hook)

    # --- saved and loaded -----------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs to go on from here: the settings, and what is remembered.

        Parameters stand in it by their number, counted through all groups.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.ones(2, requires_grad=True)
            >>> optimizer = tl.optim.SGD([x], lr=0.1, momentum=0.9)
            >>> x.sum().backward()
            >>> optimizer.step()
            >>> optimizer.state_dict()["state"]
            {0: {'momentum_buffer': tensor([1., 1.])}}
        """
        numbers = {id(parameter): k for k, parameter in enumerate(self._parameters())}
        return {
            "state": {
                numbers[id(key)] if isinstance(key, Tensor) else key: value
                for key, value in self.state.items()
                if value
            },
            "param_groups": [
                {name: value for name, value in group.items() if name != "params"}
                | {"params": [numbers[id(parameter)] for parameter in group["params"]]}
                for group in self.param_groups
            ],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another optimizer of the same parameters stopped.

        Tensors are copied to the device of their parameter, floating ones in its dtype; what counts steps
        goes there with ``capturable=True`` alone, and to the CPU without.

        Args:
            state_dict: what `state_dict` returned, here or in PyTorch.

        Raises:
            ValueError: the groups do not fit in number or size.
        """
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError(
                f"loaded state dict has a different number of parameter groups: {len(saved)}, not "
                f"{len(self.param_groups)}"
            )
        sizes = [
            (len(group["params"]), len(old["params"]))
            for group, old in zip(self.param_groups, saved, strict=True)
        ]
        if any(own != loaded for own, loaded in sizes):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                "group"
            )
        numbers = chain.from_iterable(group["params"] for group in saved)
        by_number = dict(zip(numbers, self._parameters(), strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        on_gpu = {number for group in saved if group.get("capturable") for number in group["params"]}
        for key, value in state_dict["state"].items():
            parameter = by_number.get(key)
            state[key if parameter is None else parameter] = _copied(value, parameter, key in on_gpu)
        groups = [
            {
                **deepcopy({name: value for name, value in old.items() if name != "params"}),
                "params": own["params"],
            }
            for own, old in zip(self.param_groups, saved, strict=True)
        ]
        self.state, self.param_groups = state, groups

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _pre_hooks=HookList(), _post_hooks=HookList(), _opt_called=False)

    def _parameters(self) -> Iterator[Tensor]:
        return chain.from_iterable(group["params"] for group in self.param_groups)

    def __repr__(self) -> str:
        shown = []
        for k, group in enumerate(self.param_groups):
            settings = "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
            shown.append(f"Parameter Group {k}\n{settings}")
        return f"{type(self).__name__} (\n" + "\n".join(shown) + ")"


# What stands in a state beside memories of each element.
COUNTERS = "step", "mu_product", "eta", "mu"


def _copied(value: Any, parameter: Tensor | None, on_gpu: bool, name: str = "") -> Any:
    if isinstance(value, Tensor):
        if name in COUNTERS and not on_gpu:
            return value.to("cpu", copy=True)
        if parameter is None:
            return value.clone()
        kept = name in COUNTERS or not parameter.is_floating_point()
        element_type = value.dtype if kept else parameter.dtype
        return value.detach().to(parameter.device, element_type, copy=True)
    if isinstance(value, dict):
        return {key: _copied(item, parameter, on_gpu, str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(item, parameter, on_gpu) for item in value)
    return deepcopy(value)


def check_range(name: str, value: Any, low: float = 0.0, high: float = float("inf")) -> None:
    """Refuse a setting outside ``low <= value < high``.

    Args:
        name: how the error calls it, such as ``"learning rate"``.
        value: a number, or a tensor with one element.
        low, high: the limits.

    Raises:
        ValueError: it lies outside, or is several.
    """
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, and the {name} has {value.numel()}")
    if not low <= value < high and not (high == float("inf") and value == high):
        limits = f"at least {low:g}" + (f" and less than {high:g}" if high < float("inf") else "")
        raise ValueError(f"Invalid {name}: {value}; it must be {limits}")


def remembered(
    state: dict[str, Any], parameter: Tensor, *names: str, value: float | Tensor = 0.0
) -> list[Tensor]:
    """The memories of these names, made of one number where they are not there yet.

    Raises:
        RuntimeError: one would be made while launches are recorded for a graph.
    """
    for name in names:
        if name not in state:
            _need_no_capture()
            state[name] = full_like(parameter, value)
    return [*map(state.__getitem__, names)]


def counter(
    group: dict[str, Any], parameter: Tensor, state: dict[str, Any], name: str, value: float | Tensor = 0.0
) -> Tensor:
    """A memory that is one number, made if it is not there yet: on the host, but with ``capturable=True``.

    Raises:
        RuntimeError: it would be made while launches are recorded for a graph.
    """
    found: Tensor | None = state.get(name)
    if found is None:
        if group.get("capturable"):
            _need_no_capture()
        place = parameter.device if group.get("capturable") else "cpu"
        # As in PyTorch, whatever new tensors are: sixteen bits would not count far.
        wide = dtypes.float64 if dtypes.get_default_dtype() is dtypes.float64 else dtypes.float32
        found = state[name] = full((), float(value), device=place, dtype=wide)
    return found


def _need_no_capture() -> None:
    if is_current_stream_capturing():
        raise RuntimeError(
            "Attempting CUDA graph capture of an optimizer's first step(), which makes its state: every "
            "replay would make it anew. Call step() once before"
        )


def rate_of(group: dict[str, Any]) -> Any:
    """A group's learning rate as a number; a tensor with ``capturable=True``, for which nobody waits."""
    return group["lr"] if group.get("capturable") else float(group["lr"])
