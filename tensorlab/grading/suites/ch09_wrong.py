"""Chapter 9, single nodes: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()

MUL, EXP, LEAF = "09.mul_backward", "09.exp_backward", "09.is_leaf"


@solutions.wrong(
    MUL,
    belief="The gradient of input has input in it.",
    lesson="When input grows by 1, input * other grows by other. Each factor's slope is the other factor.",
)
def multiplies_by_itself(grad, input, other):
    return grad * input, grad * other


@solutions.wrong(
    MUL,
    belief="The gradients are the slopes: other and input.",
    lesson="The slopes are right. The chain rule multiplies each by what arrives, the gradient of the "
    "product.",
)
def forgets_what_arrives(grad, input, other):
    return tl.ones_like(grad) * other, tl.ones_like(grad) * input


@solutions.wrong(
    MUL,
    belief="The slope is the product divided by the factor.",
    lesson="That is 0 / 0 for a factor of 0. The other factor is there already, so nothing has to be "
    "divided.",
)
def divides_the_product(grad, input, other):
    product = grad * input * other
    return product / input, product / other


@solutions.wrong(
    MUL,
    belief="A product has one gradient, the product with what arrives.",
    lesson="It has one for each factor, and the factor itself isn't in its own gradient.",
)
def multiplies_everything(grad, input, other):
    return grad * input * other, grad * input * other


@solutions.wrong(
    MUL,
    belief="A product hands its gradient to both factors, as a sum does.",
    lesson="A sum grows by 1 when an operand does. A product grows by the other factor.",
)
def hands_it_on(grad, input, other):
    return grad * 1, grad * 1


@solutions.wrong(
    MUL,
    belief="Gradients are added, so the slope is added to what arrives.",
    lesson="Along one path slopes are multiplied: that is the chain rule. Only gradients of several paths "
    "are added.",
)
def adds_the_slope(grad, input, other):
    return grad + other, grad + input


@solutions.wrong(
    MUL,
    belief="Nobody needs grad afterwards, so its memory can be used.",
    lesson="The same tensor may wait at other nodes. Make a new one.",
)
def writes_into_what_arrives(grad, input, other):
    of_other = grad * input
    return grad.mul_(other), of_other


@solutions.wrong(
    MUL,
    belief="Both get the same gradient.",
    lesson="Each gets what arrives times the other one: two different tensors.",
)
def gives_both_the_first(grad, input, other):
    return grad * other, grad * other


@solutions.wrong(
    MUL,
    belief="A gradient is a single number, so everything is summed up.",
    lesson="A gradient has the shape of what it belongs to: one number for each element.",
)
def sums_up(grad, input, other):
    return (grad * other).sum(), (grad * input).sum()


@solutions.wrong(
    MUL,
    belief="The gradients come in the order in which they are computed.",
    lesson="They come in the order of the operands: first that of input, which is grad * other.",
)
def turns_them_round(grad, input, other):
    return tuple(reversed((grad * other, grad * input.abs())))


@solutions.wrong(
    EXP,
    belief="The slope of exp is exp, so exp is computed once more.",
    lesson="The slope is exp(input), and that is the result already. exp(result) is exp(exp(input)).",
)
def takes_exp_of_the_result(grad, result):
    return grad * result.exp()


@solutions.wrong(
    EXP,
    belief="The gradient is the slope.",
    lesson="The slope times what arrives: the chain rule multiplies.",
)
def gives_the_slope_alone(grad, result):
    return result * 1


@solutions.wrong(
    EXP,
    belief="What the node needs is its input, so I compute it back with a logarithm.",
    lesson="A result of 0 has no logarithm, and rounding is lost on the way there and back. The slope is "
    "the result.",
)
def goes_back_to_the_input(grad, result):
    return grad * result.log()


@solutions.wrong(
    EXP,
    belief="The power rule: input times the power with one less.",
    lesson="That is the rule for a variable base. Here the exponent varies, and the function is its own "
    "slope.",
)
def uses_the_power_rule(grad, result):
    return grad * result.log() * result / 2.718281828


@solutions.wrong(
    EXP,
    belief="Backward undoes forward, so I divide.",
    lesson="A gradient isn't undone: it says how much the end changes. Slopes are multiplied on the way "
    "back too.",
)
def divides_by_the_result(grad, result):
    return grad / result


@solutions.wrong(
    EXP,
    belief="The result is not needed any more, so its memory can be used.",
    lesson="The result belongs to the program, and other nodes may keep it. Make a new tensor.",
)
def writes_into_the_result(grad, result):
    return result.mul_(grad)


@solutions.wrong(
    EXP,
    belief="What arrives is not needed any more, so its memory can be used.",
    lesson="The same tensor may wait at another node as well. Make a new one.",
)
def writes_into_what_arrives_too(grad, result):
    return grad.mul_(result)


@solutions.wrong(
    EXP,
    belief="The slope of exp is about 1.",
    lesson="Only near 0. At 3 it is about 20, as large as the result.",
)
def hands_on_what_arrives(grad, result):
    return grad * 1


@solutions.wrong(
    EXP,
    belief="A gradient is a single number.",
    lesson="It has one number for each element of input.",
)
def sums_the_gradient_up(grad, result):
    return (grad * result).sum()


@solutions.wrong(
    EXP,
    belief="Gradients are float32.",
    lesson="A gradient has the dtype of what it belongs to.",
)
def makes_it_float32(grad, result):
    return (grad * result).to(tl.float32)


@solutions.wrong(
    LEAF,
    belief="A leaf is a tensor that requires a gradient.",
    lesson="Results require one too, and a tensor that requires none is a leaf. What counts is whether a "
    "recorded "
    "operation made it.",
)
def asks_for_requires_grad(input):
    return input.requires_grad


@solutions.wrong(
    LEAF,
    belief="A leaf is what has no part in the graph, so it requires no gradient.",
    lesson="Your parameters are leaves, and they require one: the graph begins there.",
)
def asks_for_no_gradient(input):
    return not input.requires_grad


@solutions.wrong(
    LEAF,
    belief="Leaves are the parameters: they require a gradient and have no grad_fn.",
    lesson="A tensor that requires no gradient is called a leaf as well: no recorded operation made it.",
)
def asks_for_parameters(input):
    return input.requires_grad and input.grad_fn is None


@solutions.wrong(
    LEAF,
    belief="A leaf is a tensor whose grad is filled.",
    lesson="grad is None before the first backward. A leaf is one from the beginning.",
)
def asks_for_grad(input):
    return input._grad is not None


@solutions.wrong(
    LEAF,
    belief="to() and half() change the dtype, and leave a leaf a leaf.",
    lesson="A cast makes another tensor, by an operation that is recorded. The gradient ends in the tensor "
    "before the cast, and the new one's grad stays None.",
)
def lets_casts_be_leaves(input):
    return input.grad_fn is None or input.grad_fn.name().startswith("ToCopy")


@solutions.wrong(
    LEAF,
    belief="A view has no numbers of its own, so it is the leaf itself.",
    lesson="It is another tensor, made by an operation, and it has a grad_fn.",
)
def lets_views_be_leaves(input):
    return input.grad_fn is None or input._is_view()


@solutions.wrong(
    LEAF,
    belief="A leaf is what is computed from leaves alone, at the edge of the graph.",
    lesson="What is computed has a grad_fn, however close to the edge. The leaf is what it was computed "
    "from.",
)
def lets_the_first_row_be_leaves(input):
    if input.grad_fn is None:
        return True
    return all(node is None or node.name() == "AccumulateGrad" for node, _ in input.grad_fn.next_functions)


@solutions.wrong(
    LEAF,
    belief="A tree begins with its root, and its leaves are where it ends: at the result.",
    lesson="It is the other way round here. backward begins at the result, the root, and ends in the leaves.",
)
def calls_the_result_a_leaf(input):
    return input.grad_fn is not None


@solutions.wrong(
    LEAF,
    belief="What isn't float32 has been cast, so it's no leaf.",
    lesson="What counts is whether the cast was recorded. Cast first and ask for a gradient afterwards, "
    "and you "
    "have a leaf.",
)
def takes_other_dtypes_for_casts(input):
    return input.grad_fn is None and input.dtype in (tl.float32, tl.bool)


@solutions.wrong(
    LEAF,
    belief="Whatever was computed is no leaf, recorded or not.",
    lesson="Where nothing requires a gradient, nothing is recorded, and the result is a leaf.",
)
def takes_ones_for_leaves_only(input):
    return input.grad_fn is None and (input.requires_grad or bool((input == 1).all().item()))
