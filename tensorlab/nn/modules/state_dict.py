"""A module's state as a dictionary: what is saved to a file, and how it comes back."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import tensorlab as tl
from tensorlab.nn.modules.hooks import RemovableHandle
from tensorlab.nn.parameter import Parameter, is_lazy
from tensorlab.tensor import Tensor

__all__ = ["HasState"]

_EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", "missing_keys unexpected_keys")):
    """The names that a module and a state dictionary do not have in common.

    Attributes:
        missing_keys: names that the module has and the dictionary lacks.
        unexpected_keys: names that the dictionary has and the module lacks.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class HasState:
    """The part of `Module` that gives and takes its state."""

    _version = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: OrderedDict[int, Callable]
    _state_dict_pre_hooks: OrderedDict[int, Callable]
    _load_state_dict_pre_hooks: OrderedDict[int, Callable]
    _load_state_dict_post_hooks: OrderedDict[int, Callable]

    # --- giving ---------------------------------------------------------------------------------------

    def state_dict(
        self,
        *args: Any,
        destination: Any = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> Any:
        """All parameters and persistent buffers, by their names with dots.

        The tensors share memory with the module's: what training changes, changes here too. ``copy.deepcopy``
        of the dictionary keeps what is there now.

        Args:
            destination: a dictionary to fill instead of a new one.
            prefix: what every name begins with.
            keep_vars: give the parameters themselves instead of tensors without history.

        Example:
            >>> import tensorlab as tl
            >>> list(tl.nn.Sequential(tl.nn.Linear(2, 3), tl.nn.ReLU()).state_dict())
            ['0.weight', '0.bias']
        """
        if args:
            given: list[Any] = [*args, *(destination, prefix, keep_vars)[len(args) :]]
            destination, prefix, keep_vars = given
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        written = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = written
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination,
                    prefix=f"{prefix}{name}.",
                    keep_vars=keep_vars,
                )
        for hook in list(self._state_dict_hooks.values()):
            changed = hook(self, destination, prefix, written)
            if changed is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = changed
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write what is the module's own, not its children's, into `destination`."""
        for name, tensor in self._persistent().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if _overrides(self, "get_extra_state"):
            destination[prefix + _EXTRA_STATE] = self.get_extra_state()

    def _persistent(self) -> dict[str, Tensor]:
        """The module's own parameters and persistent buffers."""
        buffers = {
            name: tensor
            for name, tensor in self._buffers.items()
            if name not in self._non_persistent_buffers_set
        }
        both: dict[str, Any] = {**self._parameters, **buffers}
        return {name: tensor for name, tensor in both.items() if tensor is not None}

    def get_extra_state(self) -> Any:
        """What a subclass wants in its `state_dict` beside tensors; it overrides `set_extra_state` too.

        Raises:
            RuntimeError: it is not overridden.
        """
        raise RuntimeError(_NOT_OVERRIDDEN.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave.

        Raises:
            RuntimeError: it is not overridden.
        """
        raise RuntimeError(_NOT_OVERRIDDEN.format("set"))

    # --- taking ---------------------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the numbers of a state dictionary into this module and its children.

        Args:
            state_dict: tensors by name, as `state_dict` gives them.
            strict: the names must be the same.
            assign: take the tensors themselves, with their dtypes, instead of copying their numbers.

        Returns:
            the names that were missing, and those that nobody expected.

        Raises:
            TypeError: it is no dictionary.
            RuntimeError: names differ and `strict` is set, or sizes differ. The message lists all of them.

        Example:
            >>> import tensorlab as tl
            >>> source, copy = tl.nn.Linear(2, 1), tl.nn.Linear(2, 1)
            >>> copy.load_state_dict(source.state_dict())
            <All keys matched successfully>
            >>> tl.equal(source.weight, copy.weight)
            True
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None) or {}
        state: Any = OrderedDict(state_dict)
        state._metadata = metadata
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []

        def load(module: Any, own: Any, prefix: str) -> None:
            written = dict(metadata.get(prefix[:-1], {}))
            if assign:
                written["assign_to_params_buffers"] = True
            module._load_from_state_dict(own, prefix, written, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    inner = f"{prefix}{name}."
                    load(
                        child,
                        OrderedDict((k, v) for k, v in own.items() if k.startswith(inner)),
                        inner,
                    )
            for hook in list(module._load_state_dict_post_hooks.values()):
                if hook(module, _IncompatibleKeys(missing, unexpected)) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                        "return new values, if incompatible_keys need to be modified, it should be done "
                        "inplace."
                    )

        load(self, state, "")
        if strict:
            listed = [("Missing", missing), ("Unexpected", unexpected)]
            errors = [_listed(kind, names) for kind, names in listed if names] + errors
        if errors:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors)
            )
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take what is the module's own out of `state_dict`; the three lists get what is wrong with it."""
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        own = self._persistent()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                error = self._take(name, tensor, key, state_dict[key], assign)
                if error is not None:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA_STATE
        if _overrides(self, "set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, dot, _ = key[len(prefix) :].partition(".")
                    if first not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def _take(self, name: str, tensor: Tensor, key: str, given: Any, assign: bool) -> str | None:
        """Copy or assign one tensor; what is wrong with it, if something is."""
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected tensorlab.Tensor or Tensor-like object '
                f"from checkpoint but received {type(given)}"
            )
        if not is_lazy(tensor):
            if tensor.ndim == 0 and given.shape == (1,):
                given = given[0]
            if given.shape != tensor.shape:
                return (
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
                    f"the shape in current model is {tensor.shape}."
                )
        try:
            with tl.no_grad():
                if not assign:
                    tensor.copy_(given)
                elif not isinstance(tensor, Parameter):
                    setattr(self, name, given)
                elif isinstance(given, Parameter):
                    setattr(self, name, given.requires_grad_(tensor.requires_grad))
                else:
                    setattr(self, name, Parameter(given, tensor.requires_grad))
        except Exception as error:  # all that is wrong is told together, at the end
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{tensor.size()} and whose dimensions in the checkpoint are {given.size()}, "
                f"an exception occurred : {error.args}."
            )
        return None

    # --- hooks ----------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` looks at the module."""
        return _registered(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata)`` after `state_dict`, to change the dictionary.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.Linear(1, 1)
            >>> _ = layer.register_state_dict_post_hook(lambda _, state, *others: state.clear())
            >>> list(layer.state_dict())
            []
        """
        hook._from_public_api = True  # type: ignore[attr-defined]
        return _registered(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        """As `register_state_dict_post_hook`; a dictionary that the hook returns is what is given."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return _registered(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call a hook before `load_state_dict` looks at this module.

        Args:
            hook: called with the module, the dictionary, the prefix of its names, metadata, `strict`,
                and the lists of missing keys, unexpected keys and errors. It may change all of them.
        """

        def call(*arguments: Any) -> Any:
            return hook(self, *arguments)

        return _registered(self._load_state_dict_pre_hooks, call)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable, with_module: bool = False
    ) -> RemovableHandle:
        if with_module:
            return self.register_load_state_dict_pre_hook(hook)
        return _registered(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading this module; it may change both lists."""
        return _registered(self._load_state_dict_post_hooks, hook)


_NOT_OVERRIDDEN = (
    "Reached a code path in Module.{}_extra_state() that should never be called: a module with extra state "
    "overrides both get_extra_state and set_extra_state."
)


def _listed(kind: str, names: list[str]) -> str:
    return f"{kind} key(s) in state_dict: " + ", ".join(f'"{name}"' for name in names) + ". "


def _overrides(module: HasState, name: str) -> bool:
    return getattr(type(module), name) is not getattr(HasState, name)


def _registered(hooks: OrderedDict, hook: Callable) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
