"""Hooks of modules: functions that run before and after `forward`, and while gradients flow."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from tensorlab.autograd import Function
from tensorlab.tensor import Tensor

__all__ = ["CallsHooks", "RemovableHandle", "global_hooks"]

Hook = Callable[..., Any]
_ids = itertools.count()


class RemovableHandle:
    """A registered hook: ``remove()`` takes it away; as a context it does so at the end.

    Args:
        hooks: the dictionary that holds the hook.
        beside: dictionaries that hold what else is known of it.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.Identity()
        >>> with layer.register_forward_hook(lambda module, args, output: print("ran")):
        ...     _ = layer(tl.zeros(1))
        ran
        >>> _ = layer(tl.zeros(1))
    """

    def __init__(self, hooks: OrderedDict, beside: Iterable[OrderedDict] = ()) -> None:
        self.id = next(_ids)
        self._places = [weakref.ref(place) for place in (hooks, *beside)]

    def remove(self) -> None:
        """Take the hook away. A second time nothing happens."""
        for place in self._places:
            found = place()
            if found is not None:
                found.pop(self.id, None)

    def __getstate__(self) -> tuple[int, list[OrderedDict | None]]:
        return self.id, [place() for place in self._places]

    def __setstate__(self, state: tuple[int, list[OrderedDict | None]]) -> None:
        self.id, places = state
        self._places = [weakref.ref(OrderedDict() if place is None else place) for place in places]

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class GlobalHooks:
    """The hooks that run at every module; see `tensorlab.nn.modules.module`."""

    def __init__(self) -> None:
        self.forward: OrderedDict[int, Hook] = OrderedDict()
        self.forward_pre: OrderedDict[int, Hook] = OrderedDict()
        self.backward: OrderedDict[int, Hook] = OrderedDict()


global_hooks = GlobalHooks()


def _add(hooks: OrderedDict, hook: Hook, prepend: bool, *flags: tuple[OrderedDict, bool]) -> RemovableHandle:
    handle = RemovableHandle(hooks, [place for place, _ in flags])
    hooks[handle.id] = hook
    for place, flag in flags:
        if flag:
            place[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class CallsHooks:
    """The part of `Module` that runs `forward` with hooks around it."""

    _forward_hooks: OrderedDict[int, Hook]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _backward_hooks: OrderedDict[int, Hook]
    _backward_pre_hooks: OrderedDict[int, Hook]
    _is_full_backward_hook: bool | None
    forward: Callable[..., Any]

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before `forward`.

        What it returns, if anything, takes the arguments' place.

        Args:
            hook: the function. It returns None, one argument, or the tuple of all.
            prepend: before the hooks that are there.
            with_kwargs: call ``hook(module, args, kwargs)``, which returns None or both.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.Identity()
            >>> _ = layer.register_forward_pre_hook(lambda module, args: args[0] + 1)
            >>> layer(tl.zeros(2))
            tensor([1., 1.])
        """
        flag = (self._forward_pre_hooks_with_kwargs, with_kwargs)
        return _add(self._forward_pre_hooks, hook, prepend, flag)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after `forward`; what it returns, if anything, is the output.

        Args:
            hook: the function.
            prepend: before the hooks that are there.
            with_kwargs: call ``hook(module, args, kwargs, output)``.
            always_call: also when `forward` raised; then the output is None.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.Linear(2, 3)
            >>> handle = layer.register_forward_hook(lambda module, args, output: print(output.shape))
            >>> _ = layer(tl.zeros(4, 2))
            tensorlab.Size([4, 3])
            >>> handle.remove()
        """
        flags = (
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        )
        return _add(self._forward_hooks, hook, prepend, *flags)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before gradients pass the module.

        Args:
            hook: the function; what it returns, if anything, takes the gradients' place.
            prepend: before the hooks that are there.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.Tanh()
            >>> _ = layer.register_full_backward_pre_hook(lambda module, gradient: print(gradient[0]))
            >>> layer(tl.zeros(2, requires_grad=True)).sum().backward()
            tensor([1., 1.])
        """
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are there.

        Args:
            hook: the function; what it returns, if anything, takes the place of `grad_input`.
            prepend: before the hooks that are there.

        Raises:
            RuntimeError: the module has hooks of `register_backward_hook`.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.ReLU()
            >>> _ = layer.register_full_backward_hook(lambda module, inner, outer: print(inner, outer))
            >>> layer(tl.tensor([-1.0, 1.0], requires_grad=True)).sum().backward()
            (tensor([0., 1.]),) (tensor([1., 1.]),)
        """
        self._choose_backward_hooks(full=True)
        return _add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Call a hook with the gradients of the module's last operation.

        `register_full_backward_hook` calls it with those of the whole module.

        Raises:
            RuntimeError: the module has hooks of `register_full_backward_hook`.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.ReLU()
            >>> _ = layer.register_backward_hook(lambda module, inner, outer: print(outer))
            >>> layer(tl.tensor([-1.0, 1.0], requires_grad=True)).sum().backward()
            (tensor([1., 1.]),)
        """
        self._choose_backward_hooks(full=False)
        return _add(self._backward_hooks, hook, False)

    def _choose_backward_hooks(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = full

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, and the hooks around it."""
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or global_hooks.forward
            or global_hooks.forward_pre
            or global_hooks.backward
        ):
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    def _call_with_hooks(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        try:
            return self._forward_between_hooks(args, kwargs, called)
        except Exception:
            for number in list(self._forward_hooks_always_called):
                if number not in called and number in self._forward_hooks:
                    self._call_forward_hook(number, args, kwargs, None)
            raise

    def _forward_between_hooks(self, args: tuple, kwargs: dict[str, Any], called: set[int]) -> Any:
        for hook in list(global_hooks.forward_pre.values()):
            args = _as_arguments(hook(self, args), args)
        for number, hook in list(self._forward_pre_hooks.items()):
            if number in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not (isinstance(changed, tuple) and len(changed) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                            f"but got {changed}."
                        )
                    args, kwargs = changed
            else:
                args = _as_arguments(hook(self, args), args)
        passage = self._passage()
        if passage is not None:
            args = passage.of_inputs(args)
        output = self.forward(*args, **kwargs)
        for hook in list(global_hooks.forward.values()):
            changed = hook(self, args, output)
            output = output if changed is None else changed
        for number in list(self._forward_hooks):
            called.add(number)
            changed = self._call_forward_hook(number, args, kwargs, output)
            output = output if changed is None else changed
        if passage is not None:
            return passage.of_outputs(output)
        if self._backward_hooks:
            self._hook_last_operation(output)
        return output

    def _call_forward_hook(self, number: int, args: tuple, kwargs: dict[str, Any], output: Any) -> Any:
        hook = self._forward_hooks[number]
        if number in self._forward_hooks_with_kwargs:
            return hook(self, args, kwargs, output)
        return hook(self, args, output)

    def _passage(self) -> _Passage | None:
        """What takes note of the gradients that pass the module, if a hook asks for them."""
        full = list(self._backward_hooks.values()) if self._is_full_backward_hook else []
        after = [*global_hooks.backward.values(), *full]
        before = list(self._backward_pre_hooks.values())
        return _Passage(self, before, after) if before or after else None

    def _hook_last_operation(self, output: Any) -> None:
        while not isinstance(output, Tensor):
            output = next(iter(output.values() if isinstance(output, dict) else output))
        if output.grad_fn is not None:
            for hook in self._backward_hooks.values():
                output.grad_fn.register_hook(_with_module(hook, self))


def _with_module(hook: Hook, module: Any) -> Hook:
    def call(grad_input: Any, grad_output: Any) -> Any:
        return hook(module, grad_input, grad_output)

    return call


def _as_arguments(changed: Any, args: tuple) -> tuple:
    if changed is None:
        return args
    return changed if isinstance(changed, tuple) else (changed,)


class _Noticed(Function):
    """The tensors themselves; their gradients pass through a function all at once."""

    @staticmethod
    def forward(ctx: Any, notice: Hook, *tensors: Tensor) -> Any:
        ctx.notice = notice
        ctx.set_materialize_grads(False)
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None, *ctx.notice(gradients))


class _Passage:
    """One call of a module that has hooks for gradients.

    Both the inputs and the outputs go through `_Noticed`: at the outputs the gradients come in, at the inputs
    they leave.
    """

    def __init__(self, module: Any, before: list[Hook], after: list[Hook]) -> None:
        self.module = module
        self.before = before
        self.after = after
        self.grad_outputs: tuple | None = None
        self.inputs_are_noticed = False

    def of_inputs(self, args: tuple) -> tuple:
        """The arguments; the gradients of their tensors will be told to the hooks."""
        if not any(isinstance(value, Tensor) and value.requires_grad for value in args):
            return args
        self.inputs_are_noticed = True
        return tuple(_noticed(args, self._leave))

    def of_outputs(self, output: Any) -> Any:
        """The output; the gradients of its tensors will be told to the hooks."""
        if isinstance(output, Tensor):
            return _noticed([output], self._enter)[0]
        if not isinstance(output, tuple):
            raise RuntimeError(
                f"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                f"but received {type(output)}"
            )
        made = _noticed(output, self._enter)
        return type(output)(*made) if hasattr(output, "_fields") else type(output)(made)

    def _enter(self, gradients: tuple) -> tuple:
        for hook in self.before:
            changed = hook(self.module, gradients)
            if changed is not None:
                gradients = _as_many(changed, gradients, "Backward pre hook", "grad_output")
        self.grad_outputs = gradients
        if not self.inputs_are_noticed:
            for hook in self.after:
                if hook(self.module, (), gradients) is not None:
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return "
                        "None or None for all gradients."
                    )
        return gradients

    def _leave(self, gradients: tuple) -> tuple:
        if self.grad_outputs is None:
            raise RuntimeError("Module backward hook for grad_input is called before the grad_output one.")
        for hook in self.after:
            changed = hook(self.module, gradients, self.grad_outputs)
            if changed is not None:
                gradients = _as_many(changed, gradients, "Backward hook", "grad_input")
        return gradients


def _as_many(changed: Any, gradients: tuple, who: str, what: str) -> tuple:
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != len(gradients):
        raise RuntimeError(
            f"{who} returned an invalid number of {what}, got {len(changed)}, but expected {len(gradients)}"
        )
    return changed


def _noticed(values: Iterable[Any], notice: Hook) -> list[Any]:
    """The values, the tensors among them through one node; others stay, and have the gradient None."""
    values = list(values)
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not places:
        return values

    def with_others(gradients: tuple) -> tuple:
        all_gradients: list[Any] = [None] * len(values)
        for place, gradient in zip(places, gradients, strict=True):
            all_gradients[place] = gradient
        told = notice(tuple(all_gradients))
        return tuple(told[place] for place in places)

    made = _Noticed.apply(with_others, *[values[place] for place in places])
    for place, tensor in zip(places, made, strict=True):
        values[place] = tensor
    return values
