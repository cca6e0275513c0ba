"""Module: what a layer is, and what a network of layers is.

A module owns parameters, buffers and other modules. Assigning one to an attribute registers it; from then on
``parameters()`` finds it, ``state_dict()`` has it, and ``to()`` converts it, however deep it lies.

How `forward` is called with hooks around it stands in `tensorlab.nn.modules.hooks`, how state is saved and
loaded in `tensorlab.nn.modules.state_dict`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import tensorlab as tl
from tensorlab.nn.modules.hooks import CallsHooks, RemovableHandle, global_hooks
from tensorlab.nn.modules.state_dict import HasState
from tensorlab.nn.parameter import Buffer, Parameter
from tensorlab.tensor import Tensor

__all__ = [
    "Module",
    "named_members",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
]

Self = TypeVar("Self", bound="Module")

Members: TypeAlias = list[tuple[str, Any]]  # what a module holds, each with its name
Tree: TypeAlias = tuple[Members, "Sequence[tuple[str, Tree]]"]  # of a module: its members, and its children

_HOOKS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


class Module(CallsHooks, HasState):
    """The base class of all layers and networks.

    A subclass calls ``super().__init__()``, assigns its layers to attributes, and says in `forward` what it
    computes.

    Attributes:
        training: whether the module trains, as `train` and `eval` say.

    Example:
        >>> import tensorlab as tl
        >>> class Net(tl.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.hidden = tl.nn.Linear(4, 8)
        ...         self.out = tl.nn.Linear(8, 2)
        ...
        ...     def forward(self, x):
        ...         return self.out(self.hidden(x).relu())
        >>> net = Net()
        >>> net
        Net(
          (hidden): Linear(in_features=4, out_features=8, bias=True)
          (out): Linear(in_features=8, out_features=2, bias=True)
        )
        >>> net(tl.zeros(3, 4)).shape
        tensorlab.Size([3, 2])
    """

    training: bool
    call_super_init = False
    dump_patches = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(
                    f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        self.__dict__.update(_empty_state())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def _forward_unimplemented(self, *input: Any) -> Any:
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    forward: Callable[..., Any] = _forward_unimplemented

    # --- registering ----------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under a name, or None for one that could be there and is not.

        Raises:
            AttributeError: ``Module.__init__`` has not run.
            TypeError: the name is no string, or `param` is no parameter.
            KeyError: the name is empty, has a dot in it, or is taken.
            ValueError: `param` is the result of an operation.
        """
        self._check_name("parameter", "_parameters", name)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{_typename(param)}' object to parameter '{name}' "
                    "(tensorlab.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                    "the forward() method."
                )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that belongs to the module and is not trained.

        Args:
            name: the attribute.
            tensor: the buffer, or None for one that could be there and is not.
            persistent: whether `state_dict` has it.

        Raises:
            AttributeError: ``Module.__init__`` has not run.
            TypeError: the name is no string, or `tensor` is no tensor.
            KeyError: the name is empty, has a dot in it, or is taken.

        Example:
            >>> import tensorlab as tl
            >>> module = tl.nn.Module()
            >>> module.register_buffer("mean", tl.zeros(2))
            >>> module.mean, list(module.state_dict())
            (tensor([0., 0.]), ['mean'])
        """
        self._check_name("buffer", "_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_typename(tensor)}' object to buffer '{name}' "
                "(tensorlab Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a child under a name, which may be a number as in `Sequential`.

        Raises:
            TypeError: `module` is no module, or the name is no string.
            KeyError: the name is empty, has a dot in it, or is taken.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name("module", "_modules", name)
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    def _check_name(self, kind: str, registry: str, name: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" * (kind == "module")))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        for registry in ("_parameters", "_buffers", "_modules"):
            if registry in state and name in state[registry]:
                return state[registry][name]
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'",
            name=name,
            obj=self,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in state:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in state.get("_parameters", ()):
            if value is not None:
                raise TypeError(_cannot_assign(value, f"parameter '{name}'", "nn.Parameter or None"))
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if "_modules" not in state:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            self._modules[name] = value
        elif name in state.get("_modules", ()):
            if value is not None:
                raise TypeError(_cannot_assign(value, f"child module '{name}'", "nn.Module or None"))
            self._modules[name] = None
        elif name in state.get("_buffers", ()) or isinstance(value, Buffer):
            if value is not None and not isinstance(value, Tensor):
                wanted = "nn.Buffer, tensorlab.Tensor or None"
                raise TypeError(_cannot_assign(value, f"buffer '{name}'", wanted))
            if isinstance(value, Buffer):
                if "_buffers" not in state:
                    raise AttributeError("cannot assign buffer before Module.__init__() call")
                self._forget(name, "_buffers")
                self.register_buffer(name, value, value.persistent)  # type: ignore[attr-defined]
            else:
                self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, kept: str) -> None:
        """Make room for a name: whatever else has it is given up."""
        self.__dict__.pop(name, None)
        for registry in ("_parameters", "_buffers", "_modules"):
            if registry != kept:
                self.__dict__[registry].pop(name, None)
        if kept != "_buffers":
            self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                del registry[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**_empty_state(), **state})

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[:1].isdigit())

    # --- walking --------------------------------------------------------------------------------------

    def named_modules(
        self,
        memo: set[Module] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Module]]:
        """Itself and all modules in it, with their names; a module that occurs twice comes once.

        Args:
            memo: modules that are left out; the ones that are met are added.
            prefix: what every name begins with.
            remove_duplicate: False to get a module as often as it occurs.

        Example:
            >>> import tensorlab as tl
            >>> net = tl.nn.Sequential(tl.nn.Linear(1, 1), tl.nn.Sequential(tl.nn.ReLU()))
            >>> [name for name, _ in net.named_modules()]
            ['', '0', '1', '1.0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, f"{prefix}.{name}" if prefix else name, remove_duplicate
                )

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Itself and all modules in it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that this one is made of directly, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that this one is made of directly."""
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their names; one that is shared comes once, under its first name.

        Args:
            prefix: what every name begins with.
            recurse: also those of the modules in it.
            remove_duplicate: False to get a shared one under each of its names.

        Example:
            >>> import tensorlab as tl
            >>> [(name, tuple(weight.shape)) for name, weight in tl.nn.Linear(2, 3).named_parameters()]
            [('weight', (3, 2)), ('bias', (3,))]
        """
        return self._named_members(_own_parameters, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters: what an optimizer is given.

        Args:
            recurse: also those of the modules in it.
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their names. The arguments are those of `named_parameters`."""
        return self._named_members(_own_buffers, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        if remove_duplicate:
            tree = self._tree(get_members_fn, set()) if recurse else (list(get_members_fn(self)), [])
            members = named_members(*tree)
        else:
            modules = self.named_modules(remove_duplicate=False) if recurse else [("", self)]
            members = [
                (f"{path}.{name}" if path else name, member)
                for path, module in modules
                for name, member in get_members_fn(module)
                if member is not None
            ]
        for name, member in members:
            yield (f"{prefix}.{name}" if prefix else name), member

    def _tree(self, get_members_fn: Callable[[Module], Any], met: set[Module]) -> Tree:
        """The members of each module in this one, a module that occurs twice once."""
        met.add(self)
        children = [
            (name, module._tree(get_members_fn, met))
            for name, module in self._modules.items()
            if module is not None and module not in met
        ]
        return list(get_members_fn(self)), children

    def get_submodule(self, target: str) -> Module:
        """The module of a name with dots; the empty name is this module.

        Raises:
            AttributeError: there is none of this name, or it is no module.

        Example:
            >>> import tensorlab as tl
            >>> tl.nn.Sequential(tl.nn.Sequential(tl.nn.Tanh())).get_submodule("0.0")
            Tanh()
        """
        found = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module in the place that a name with dots says.

        Args:
            target: the name.
            module: what stands there from now on.
            strict: there must be one already.

        Raises:
            ValueError: the name is empty, or `module` is no module.
            AttributeError: the way there does not exist, or something else than a module stands there.
        """
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a name with dots.

        Raises:
            AttributeError: there is none of this name, or it is no parameter.

        Example:
            >>> import tensorlab as tl
            >>> tl.nn.Sequential(tl.nn.Linear(2, 3)).get_parameter("0.weight").shape
            tensorlab.Size([3, 2])
        """
        found = self._get_member(target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{target.rpartition('.')[2]}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a name with dots.

        Raises:
            AttributeError: there is none of this name, or it is no buffer.
        """
        found = self._get_member(target)
        path, _, name = target.rpartition(".")
        if name not in self.get_submodule(path)._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    def _get_member(self, target: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        return getattr(owner, name)

    # --- changing all tensors -------------------------------------------------------------------------

    def apply(self: Self, fn: Callable[[Module], Any]) -> Self:
        """Call a function with every module in this one, children first, and with this one at the end.

        Example:
            >>> import tensorlab as tl
            >>> def start(module):
            ...     if isinstance(module, tl.nn.Linear):
            ...         tl.nn.init.ones_(module.weight)
            >>> tl.nn.Sequential(tl.nn.Linear(2, 1)).apply(start)[0].weight.data
            tensor([[1., 1.]])
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Put ``fn(tensor)`` in the place of every parameter's and buffer's data, and of the gradients."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        parameters: dict[str, Any] = self._parameters
        for name, parameter in list(parameters.items()):
            if parameter is None:
                continue
            with tl.no_grad():
                made = fn(parameter)
                gradient = None if parameter.grad is None else fn(parameter.grad)
            if type(made) is type(parameter) and made is not parameter:
                parameters[name] = made  # it has no shape yet, and so no data
            elif made is not parameter:
                parameter.data = made
            if gradient is not None and parameter.grad is not None:
                parameter.grad.data = gradient
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Convert all floating-point parameters and buffers of this module, in place.

        Args:
            args, kwargs: a device, a dtype, both, or a tensor that has them; `memory_format` for images.

        Raises:
            TypeError: the dtype is no floating-point one.

        Example:
            >>> import tensorlab as tl
            >>> tl.nn.Linear(2, 1).to(tl.float64).weight.dtype
            tensorlab.float64
        """
        layout_of_images = kwargs.pop("memory_format", None)
        if not args and not kwargs:
            target = {}
        else:
            device, dtype, non_blocking = _parse_to(*args, **kwargs)
            if dtype is not None and not dtype.is_floating_point:
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, "
                    f"but got desired dtype={dtype}"
                )
            target = {"device": device, "dtype": dtype, "non_blocking": non_blocking}

        def convert(tensor: Tensor) -> Tensor:
            options = dict(target)
            if options and not tensor.is_floating_point():
                options["dtype"] = None
            if layout_of_images is not None and tensor.dim() in (4, 5):
                options["memory_format"] = layout_of_images
            options = {name: value for name, value in options.items() if value not in (None, False)}
            return tensor.to(**options) if options else tensor

        return self._apply(convert)

    def float(self: Self) -> Self:
        """Convert all floating-point parameters and buffers to float32."""
        return self._to_dtype(tl.float32)

    def double(self: Self) -> Self:
        """Convert all floating-point parameters and buffers to float64."""
        return self._to_dtype(tl.float64)

    def half(self: Self) -> Self:
        """Convert all floating-point parameters and buffers to float16."""
        return self._to_dtype(tl.float16)

    def bfloat16(self: Self) -> Self:
        """Convert all floating-point parameters and buffers to bfloat16."""
        return self._to_dtype(tl.bfloat16)

    def _to_dtype(self: Self, dtype: Any) -> Self:
        return self._apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)

    def type(self: Self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype, integers too."""

        def convert(tensor: Any) -> Tensor:
            return tensor.type(dst_type)

        return self._apply(convert)

    def cpu(self: Self) -> Self:
        """Move all parameters and buffers to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self: Self, device: Any = None) -> Self:
        """Move all parameters and buffers to a GPU.

        Raises:
            RuntimeError: there is no GPU.
        """
        return self._apply(lambda tensor: tensor.cuda(device))

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """Give all parameters and buffers new memory on a device, with arbitrary numbers."""
        return self._apply(lambda tensor: tl.empty_like(tensor, device=device), recurse)

    def train(self: Self, mode: bool = True) -> Self:
        """Train from now on: dropout drops, batch normalisation takes its numbers from the batch.

        Args:
            mode: False is what `eval` does.

        Raises:
            ValueError: it is no bool.

        Example:
            >>> import tensorlab as tl
            >>> net = tl.nn.Sequential(tl.nn.Dropout()).eval()
            >>> net[0].training
            False
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: Self) -> Self:
        """Stop training: what differs between training and use does what it does in use."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Let all parameters be trained, or not."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters.

        Args:
            set_to_none: False fills them with zeros instead.

        Example:
            >>> import tensorlab as tl
            >>> layer = tl.nn.Linear(2, 1)
            >>> layer(tl.ones(1, 2)).sum().backward()
            >>> layer.zero_grad()
            >>> print(layer.weight.grad)
            None
        """
        parameter: Any
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    parameter.grad = parameter.grad.detach()
                    parameter.grad.zero_()

    # --- text -----------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the brackets of the module's text; a subclass overrides it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()
        ]
        if not children and len(lines) < 2:
            return f"{self._get_name()}({extra})"
        return "\n  ".join([f"{self._get_name()}(", *lines, *children]) + "\n)"


def _empty_state() -> dict[str, Any]:
    return {
        "training": True,
        "_parameters": {},
        "_buffers": {},
        "_non_persistent_buffers_set": set(),
        "_modules": {},
        "_is_full_backward_hook": None,
        **{name: OrderedDict() for name in _HOOKS},
    }


def named_members(own: Members, children: Sequence[tuple[str, Tree]]) -> Members:
    """The parameters, or buffers, of a module and of all modules in it, under their full names.

    Args:
        own: what the module holds itself, each with its name; None where a name stands for nothing.
        children: the modules in it, each as its name and a pair of the same two lists.

    Returns:
        each object once, under the first of its names: a module's own before those of its children, the
        children in their order. A name inside a child begins with the child's name and a point.

    Example:
        >>> weight, bias = "an object", "another"
        >>> named_members([("w", weight)], [("a", ([("w", weight), ("b", bias)], []))])
        [('w', 'an object'), ('a.b', 'another')]
    """
    found: dict[int, tuple[str, Any]] = {}  # by identity: tensors that are equal may be two

    def walk(own: Members, children: Sequence[tuple[str, Tree]], path: str) -> None:
        for name, member in own:
            if member is not None:
                found.setdefault(id(member), (path + name, member))
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")

    walk(own, children, "")
    return list(found.values())


def _own_parameters(module: Module) -> Any:
    return module._parameters.items()


def _own_buffers(module: Module) -> Any:
    return module._buffers.items()


def _typename(value: Any) -> str:
    if isinstance(value, Tensor):
        return str(value.type())
    kind = value if isinstance(value, type) else type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _cannot_assign(value: Any, place: str, wanted: str) -> str:
    return f"cannot assign '{_typename(value)}' as {place} (tensorlab.{wanted} expected)"


def _parse_to(
    first: Any = None, second: Any = None, third: Any = None, *, device: Any = None, dtype: Any = None,
    non_blocking: bool = False, tensor: Tensor | None = None,
) -> tuple[Any, Any, bool]:  # fmt: skip
    """The device, the dtype and the flag that a call of `Module.to` names."""
    for value in (first, second, third, tensor):
        if isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
        elif isinstance(value, tl.dtype):
            dtype = value
        elif isinstance(value, bool):
            non_blocking = value
        elif value is not None:
            device = value
    return device, dtype, non_blocking


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, args)`` before `forward` of every module there is."""
    handle = RemovableHandle(global_hooks.forward_pre)
    global_hooks.forward_pre[handle.id] = hook
    return handle


def register_module_forward_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after `forward` of every module there is.

    Example:
        >>> import tensorlab as tl
        >>> with register_module_forward_hook(lambda module, args, output: print(module)):
        ...     _ = tl.nn.ReLU()(tl.zeros(1))
        ReLU()
    """
    handle = RemovableHandle(global_hooks.forward)
    global_hooks.forward[handle.id] = hook
    return handle


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when gradients have passed any module."""
    handle = RemovableHandle(global_hooks.backward)
    global_hooks.backward[handle.id] = hook
    return handle
