"""Chapter 11, checkpoints: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined, func-returns-value"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def cut_off(args):
    """The arguments without their history."""
    return [x.detach().requires_grad_(x.requires_grad) if isinstance(x, tl.Tensor) else x for x in args]


def with_hooks(function, args, run_again, cut=cut_off):
    """A checkpoint of hooks that replays the random numbers; `run_again` runs the second time."""
    state, again, count = tl.get_rng_state(), {}, [0]

    def pack(tensor):
        count[0] += 1
        return count[0]

    def pack_again(tensor):
        again[len(again) + 1] = tensor.detach()
        return tensor

    def unpack(number):
        if not again:
            hooks = tl.autograd.graph.saved_tensors_hooks(pack_again, lambda tensor: tensor)
            with tl.enable_grad(), hooks:
                run_again(state, cut(args))
        return again[number]

    with tl.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="The function is called, its result comes back: what more is there to do?",
    lesson="Every operation in it has kept its tensors. The point of a checkpoint is that they are not kept.",
)
def calls_it(function, *args):
    return function(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="Under no_grad nothing is kept, so that saves the memory.",
    lesson="Nothing is recorded either: the result has no way back, and no weight gets a gradient.",
)
def turns_recording_off(function, *args):
    with tl.no_grad():
        return function(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="The arguments say whether a gradient is needed.",
    lesson="This is what PyTorch's older checkpoints do: the first input of a network requires no "
    "gradient, so the result requires none, and the weights inside of the function get none. No error, no "
    "learning.",
)
def asks_the_arguments_alone(function, *args):
    state = tl.get_rng_state()

    class Again(tl.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            return function(*args)

        @staticmethod
        def backward(ctx, gradient):
            now = tl.get_rng_state()
            tl.set_rng_state(state)
            cut = cut_off(args)
            with tl.enable_grad():
                function(*cut).backward(gradient)
            tl.set_rng_state(now)
            return tuple(x.grad if isinstance(x, tl.Tensor) else None for x in cut)

    return Again.apply(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="The same function gives the same result.",
    lesson="Not if it draws random numbers. The second run draws others, and the gradients belong to a "
    "forward pass that never happened. Keep the generator's state and set it again.",
)
def draws_other_numbers(function, *args):
    return with_hooks(function, args, lambda state, cut: function(*cut))


@solutions.wrong(
    "11.checkpoint",
    belief="Setting the generator back is enough.",
    lesson="It stays back: whatever is drawn after the backward pass has been drawn before. Keep the "
    "state that you find, and put it back after the second run.",
)
def leaves_the_stream_set_back(function, *args):
    def run_again(state, cut):
        tl.set_rng_state(state)
        function(*cut)

    return with_hooks(function, args, run_again)


@solutions.wrong(
    "11.checkpoint",
    belief="A fixed seed before both runs makes them draw the same.",
    lesson="It does, and every checkpoint of the program draws the same as every other. The first run has to "
    "draw what it would draw anyway.",
)
def seeds_both_runs(function, *args):
    def seeded(*given):
        now = tl.get_rng_state()
        tl.manual_seed(0)
        result = function(*given)
        tl.set_rng_state(now)
        return result

    return with_hooks(seeded, args, lambda state, cut: seeded(*cut))


@solutions.wrong(
    "11.checkpoint",
    belief="Each kept tensor is computed again when it is asked for.",
    lesson="One run makes all of them. With a run for each, the backward pass of n operations takes n runs.",
)
def runs_for_each_tensor(function, *args):
    state, count = tl.get_rng_state(), [0]

    def pack(tensor):
        count[0] += 1
        return count[0]

    def unpack(number):
        again = []
        hooks = tl.autograd.graph.saved_tensors_hooks(
            lambda tensor: again.append(tensor.detach()) or tensor, lambda tensor: tensor
        )
        now = tl.get_rng_state()
        tl.set_rng_state(state)
        with tl.enable_grad(), hooks:
            function(*cut_off(args))
        tl.set_rng_state(now)
        return again[number - 1]

    with tl.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="The backward pass asks in the opposite order, so the last tensor comes first.",
    lesson="Nodes run in the opposite order, and each asks for its own tensors in the order in which it kept "
    "them. Give every tensor a number.",
)
def takes_them_from_the_end(function, *args):
    state, again = tl.get_rng_state(), []

    def unpack(place):
        if not again:
            hooks = tl.autograd.graph.saved_tensors_hooks(
                lambda tensor: again.append(tensor.detach()) or tensor, lambda tensor: tensor
            )
            now = tl.get_rng_state()
            tl.set_rng_state(state)
            with tl.enable_grad(), hooks:
                function(*cut_off(args))
            tl.set_rng_state(now)
        return again.pop()

    with tl.autograd.graph.saved_tensors_hooks(lambda tensor: None, unpack):
        return function(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="The second run can take the arguments as they are.",
    lesson="Then its graph hangs on theirs, and its backward pass goes on into their history: the gradients "
    "arrive twice. Cut the arguments off first.",
)
def goes_back_into_the_history(function, *args):
    state = tl.get_rng_state()

    class Again(tl.autograd.Function):
        @staticmethod
        def forward(ctx, own, *args):
            return function(*args)

        @staticmethod
        def backward(ctx, gradient):
            now = tl.get_rng_state()
            tl.set_rng_state(state)
            for x in args:
                if isinstance(x, tl.Tensor) and x.requires_grad and not x.is_leaf:
                    x.retain_grad()
            with tl.enable_grad():
                function(*args).backward(gradient, retain_graph=True)
            tl.set_rng_state(now)
            return None, *[x.grad if isinstance(x, tl.Tensor) else None for x in args]

    return Again.apply(tl.empty(0, requires_grad=True), *args)


@solutions.wrong(
    "11.checkpoint",
    belief="Move what is kept out of the way: a hook can store it in another form.",
    lesson="A copy in another place is as large as the original. A checkpoint keeps the way to compute it.",
)
def keeps_copies_elsewhere(function, *args):
    with tl.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.detach().clone(), lambda copy: copy):
        return function(*args)


@solutions.wrong(
    "11.checkpoint",
    belief="A checkpoint has one input.",
    lesson="*args are any number of arguments, tensors and others. All go to the function, both times.",
)
def passes_the_first_argument(function, *args):
    return with_hooks(lambda x: function(x), args[:1], lambda state, cut: function(*cut))


@solutions.wrong(
    "11.checkpoint",
    belief="To be safe, let every argument require a gradient.",
    lesson="Then the caller's own tensor is changed and gets a grad that nobody asked for; an int64 "
    "tensor of places cannot require one at all.",
)
def makes_all_arguments_require_one(function, *args):
    def run_again(state, cut):
        now = tl.get_rng_state()
        tl.set_rng_state(state)
        function(*cut)
        tl.set_rng_state(now)

    for x in args:
        if isinstance(x, tl.Tensor) and x.is_leaf:
            x.requires_grad_()
    return with_hooks(function, args, run_again)


@solutions.wrong(
    "11.checkpoint",
    belief="Run it once without recording, and once more at once with it.",
    lesson="The second run belongs into the backward pass. Here it happens right away, and keeps everything.",
)
def runs_twice_at_once(function, *args):
    state = tl.get_rng_state()
    with tl.no_grad():
        function(*args)
    tl.set_rng_state(state)
    return function(*args)
