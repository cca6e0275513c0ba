"""Chapter 13, layers: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


# --- 13.linear ----------------------------------------------------------------------------------------


@solutions.wrong(
    "13.linear",
    belief="The layer multiplies the input by its weight.",
    lesson="The weight has a row for each output. It has to be transposed, which a square weight does not "
    "tell you.",
)
def forgets_to_transpose(input, weight, bias=None):
    result = input @ weight
    return result if bias is None else result + bias


@solutions.wrong(
    "13.linear",
    belief="If the shapes fit, the weight is the right way round.",
    lesson="A square weight fits both ways. The shape (out, in) says which it is, not what happens to fit.",
)
def turns_it_if_it_does_not_fit(input, weight, bias=None):
    fits = input.shape[-1] == weight.shape[0]
    result = input @ (weight if fits else weight.t())
    return result if bias is None else result + bias


@solutions.wrong(
    "13.linear",
    belief="In the formula the weight stands in front: W x + b.",
    lesson="There x is a column. Here the examples are rows, and the product is the same one turned: x Wᵀ.",
)
def weight_in_front(input, weight, bias=None):
    result = weight @ input
    return result if bias is None else result + bias


@solutions.wrong(
    "13.linear",
    belief="A layer gets a table: one row an example.",
    lesson="It may get one example alone, or a batch of sequences. @ takes all of them; mm takes "
    "tables only.",
)
def takes_tables_only(input, weight, bias=None):
    result = input.mm(weight.t())
    return result if bias is None else result + bias


@solutions.wrong(
    "13.linear",
    belief="More dimensions are flattened to a table, and a table comes out.",
    lesson="The layer changes the last size alone. Give the answer the other sizes back.",
)
def leaves_it_flat(input, weight, bias=None):
    result = input.reshape(-1, input.shape[-1]) @ weight.t()
    return result if bias is None else result + bias


@solutions.wrong(
    "13.linear",
    belief="A layer has a bias.",
    lesson="It may be None, and nothing can be added to None.",
)
def needs_a_bias(input, weight, bias=None):
    return input @ weight.t() + bias


@solutions.wrong(
    "13.linear",
    belief="The bias is a detail that training takes care of.",
    lesson="It is a parameter like the weight, and has to be added.",
)
def forgets_the_bias(input, weight, bias=None):
    return input @ weight.t()


@solutions.wrong(
    "13.linear",
    belief="There is one bias for each example, so it is a column.",
    lesson="There is one for each output: it is aligned with the last dimension, as broadcasting does by "
    "itself.",
)
def bias_as_a_column(input, weight, bias=None):
    result = input @ weight.t()
    return result if bias is None else result + bias[:, None]


@solutions.wrong(
    "13.linear",
    belief="`if bias:` asks whether there is a bias.",
    lesson="It asks whether its one element is true; with several there is no answer. Ask `bias is None`.",
)
def asks_whether_it_is_true(input, weight, bias=None):
    result = input @ weight.t()
    return result + bias if bias else result


@solutions.wrong(
    "13.linear",
    belief="The transpose of a layer's weight is reshape(in, out).",
    lesson="reshape keeps the order of the elements and changes only how they are counted. t() exchanges the "
    "dimensions.",
)
def reshapes_instead(input, weight, bias=None):
    result = input @ weight.reshape(weight.shape[1], weight.shape[0])
    return result if bias is None else result + bias


# --- 13.dropout ---------------------------------------------------------------------------------------


@solutions.wrong(
    "13.dropout",
    belief="Dropout sets numbers to 0.",
    lesson="Then the next layer gets a smaller sum than later, when nothing is left out. What stays "
    "is divided by 1 - p.",
)
def forgets_to_scale(input, p=0.5, training=True):
    return input * (tl.rand(input.shape) >= p) if training else input


@solutions.wrong(
    "13.dropout",
    belief="What stays is divided by p.",
    lesson="p is the share that goes. What stays is a share of 1 - p, and so it is divided by that.",
)
def divides_by_p(input, p=0.5, training=True):
    if not training:
        return input
    if p in (0, 1):
        return input * (1 - p)
    return input * (tl.rand(input.shape) >= p) / p


@solutions.wrong(
    "13.dropout",
    belief="p is the probability that a number stays.",
    lesson="In PyTorch p is the probability that it goes. Some papers count the other way round.",
)
def keeps_a_share_of_p(input, p=0.5, training=True):
    if not training:
        return input
    if p == 0:
        return input * 0
    return input * (tl.rand(input.shape) < p) / p


@solutions.wrong(
    "13.dropout",
    belief="A layer does the same thing at every call.",
    lesson="Dropout works in training alone. With training=False the input comes back.",
)
def never_stops(input, p=0.5, training=True):
    if p == 1:
        return input * 0
    return input * (tl.rand(input.shape) >= p) / (1 - p)


@solutions.wrong(
    "13.dropout",
    belief="In training numbers go; afterwards everything is multiplied by 1 - p.",
    lesson="That is how the first paper had it. Scaling in training instead leaves the finished network "
    "without dropout at all.",
)
def scales_afterwards(input, p=0.5, training=True):
    return input * (tl.rand(input.shape) >= p) if training else input * (1 - p)


@solutions.wrong(
    "13.dropout",
    belief="The input is not needed any more, so it can be overwritten.",
    lesson="Whoever gave it may still need it: the backward pass, or a connection around this layer.",
)
def overwrites_the_input(input, p=0.5, training=True):
    if not training:
        return input
    input.mul_(tl.rand(input.shape) >= p)
    return input if p == 1 else input.div_(1 - p)


@solutions.wrong(
    "13.dropout",
    belief="Each row is left out or stays.",
    lesson="Every element is drawn for itself. What leaves out whole channels is another layer.",
)
def leaves_out_rows(input, p=0.5, training=True):
    if not training:
        return input
    if p == 1:
        return input * 0
    stays = tl.rand((*input.shape[:-1], 1)) >= p
    return input * stays / (1 - p)


@solutions.wrong(
    "13.dropout",
    belief="A share of p goes: the first ones are as good as any.",
    lesson="Then the same connections are missing at every step, and nothing learns to do without the "
    "others.",
)
def leaves_out_the_first(input, p=0.5, training=True):
    if not training:
        return input
    if p == 1:
        return input * 0
    stays = tl.ones(input.numel())
    stays[: round(p * input.numel())] = 0
    return input * stays.view(input.shape) / (1 - p)


@solutions.wrong(
    "13.dropout",
    belief="A random number is less than p with probability p.",
    lesson="That is so for rand, which is even between 0 and 1. The numbers of randn lie around 0.",
)
def draws_normal_numbers(input, p=0.5, training=True):
    if not training:
        return input
    if p == 1:
        return input * 0
    return input * (tl.randn(input.shape) >= p) / (1 - p)


@solutions.wrong(
    "13.dropout",
    belief="The formula is right for every p.",
    lesson="For p = 1 it is 0 / 0, which is nan. Everything goes then, so the answer is zeros.",
)
def divides_zero_by_zero(input, p=0.5, training=True):
    return input * (tl.rand(input.shape) >= p) / tl.tensor(1.0 - p) if training else input


@solutions.wrong(
    "13.dropout",
    belief="Afterwards a copy of the input is as good as the input.",
    lesson="A copy costs memory and time for nothing. With training=False the layer is not there.",
)
def copies_the_input(input, p=0.5, training=True):
    if not training:
        return input.clone()
    return input * 0 if p == 1 else input * (tl.rand(input.shape) >= p) / (1 - p)


# --- 13.get_total_norm --------------------------------------------------------------------------------


def _power_sum(x, p):
    return (x.abs() ** p).sum()


def _norm(x, p):
    return x.abs().amax() if p == tl.inf else _power_sum(x, p) ** (1 / p)


@solutions.wrong(
    "13.get_total_norm",
    belief="The norm of all is the sum of the norms.",
    lesson="(3) and (4) stand at right angles, and their sum has length 5, not 7. Squares add up, lengths do "
    "not.",
)
def adds_the_norms(tensors, norm_type=2.0):
    return sum((_norm(x, norm_type) for x in tensors), tl.tensor(0.0))


@solutions.wrong(
    "13.get_total_norm",
    belief="The norm of all is the norm of the longest.",
    lesson="That is so for infinity alone. Every other tensor adds to the length.",
)
def takes_the_longest(tensors, norm_type=2.0):
    return tl.stack([_norm(x, norm_type) for x in tensors]).amax() if tensors else tl.tensor(0.0)


@solutions.wrong(
    "13.get_total_norm",
    belief="Each tensor is clipped by its own norm, so the answer is their mean.",
    lesson="The direction of a step is that of all gradients together. One length is taken of all of them.",
)
def takes_the_mean(tensors, norm_type=2.0):
    return tl.stack([_norm(x, norm_type) for x in tensors]).mean() if tensors else tl.tensor(0.0)


@solutions.wrong(
    "13.get_total_norm",
    belief="The length is the sum of the squares.",
    lesson="It is the root of that. The root is taken once, at the end.",
)
def forgets_the_root(tensors, norm_type=2.0):
    if norm_type == tl.inf:
        return tl.stack([x.abs().amax() for x in tensors]).amax() if tensors else tl.tensor(0.0)
    return sum((_power_sum(x, norm_type) for x in tensors), tl.tensor(0.0))


@solutions.wrong(
    "13.get_total_norm",
    belief="A norm has squares in it.",
    lesson="norm_type is the power and the root. Clipping by value uses infinity.",
)
def always_takes_two(tensors, norm_type=2.0):
    return sum((_power_sum(x, 2) for x in tensors), tl.tensor(0.0)) ** 0.5


@solutions.wrong(
    "13.get_total_norm",
    belief="The formula is right for every power, also for infinity.",
    lesson="A number to the power of infinity is infinite or 0. In the limit the p-norm is the largest "
    "magnitude.",
)
def raises_to_infinity(tensors, norm_type=2.0):
    return sum((_power_sum(x, norm_type) for x in tensors), tl.tensor(0.0)) ** (1 / norm_type)


@solutions.wrong(
    "13.get_total_norm",
    belief="A power makes all numbers positive.",
    lesson="Even powers do. For 1 and 3 a negative number takes from the sum; use the magnitudes.",
)
def forgets_magnitudes(tensors, norm_type=2.0):
    if norm_type == tl.inf:
        return tl.stack([x.amax() for x in tensors]).amax() if tensors else tl.tensor(0.0)
    return sum(((x**norm_type).sum() for x in tensors), tl.tensor(0.0)) ** (1 / norm_type)


@solutions.wrong(
    "13.get_total_norm",
    belief="There is always a gradient.",
    lesson="A network whose parameters are all frozen has none, and the norm of nothing is 0.",
)
def needs_a_tensor(tensors, norm_type=2.0):
    return _norm(tl.stack([_norm(x, norm_type) for x in tensors]), norm_type)


@solutions.wrong(
    "13.get_total_norm",
    belief="A norm is a number, so the answer is a float.",
    lesson="A float has to wait for the device. The answer stays a tensor, of no dimensions.",
)
def returns_a_float(tensors, norm_type=2.0):
    return _norm(tl.stack([_norm(x, norm_type) for x in tensors]), norm_type).item() if tensors else 0.0


@solutions.wrong(
    "13.get_total_norm",
    belief="The tensors are put together as rows of one.",
    lesson="Their shapes differ. Flatten each of them first, or take the norm of the norms.",
)
def stacks_them(tensors, norm_type=2.0):
    return _norm(tl.stack(list(tensors)), norm_type) if tensors else tl.tensor(0.0)
