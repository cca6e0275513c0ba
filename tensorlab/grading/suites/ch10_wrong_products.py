"""Chapter 10, the gradients of a product: wrong solutions, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def into(gradient, shape):
    """A gradient summed into a shape that was stretched."""
    lead = gradient.dim() - len(shape)
    inner = [lead + d for d, size in enumerate(shape) if size != gradient.shape[lead + d]]
    dims = [*range(lead), *inner]
    return gradient.sum(dims, keepdim=True).reshape(shape) if dims else gradient


def as_matrices(grad, a, b):
    """The three with the dimensions that vectors left out."""
    if b.dim() == 1:
        grad, b = grad[..., None], b[:, None]
        grad, a = (grad[..., None, :], a[None]) if a.dim() == 1 else (grad, a)
    elif a.dim() == 1:
        grad, a = grad[..., None, :], a[None]
    return grad, a, b


@solutions.wrong(
    "10.matmul_backward",
    belief="grad @ b.mT and a.mT @ grad are the gradients, whatever the batch.",
    lesson="Where a matrix served a whole batch, they are a batch too. Sum it into the matrix's own shape.",
)
def forgets_to_reduce(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    of_a, of_b = wide @ right.mT, left.mT @ wide
    return (
        of_a.reshape(a.shape) if of_a.numel() == a.numel() else of_a,
        of_b.reshape(b.shape) if of_b.numel() == b.numel() else of_b,
    )


@solutions.wrong(
    "10.matmul_backward",
    belief="The gradient of the product is multiplied by the other factor, as for numbers.",
    lesson="By the other factor transposed. Otherwise the shapes fit for square matrices only, and the "
    "numbers never do.",
)
def does_not_transpose(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    if left.shape[-1] != left.shape[-2] or right.shape[-1] != right.shape[-2]:
        raise RuntimeError("the shapes do not fit")
    return into(wide @ right, left.shape).reshape(a.shape), into(left @ wide, right.shape).reshape(b.shape)


@solutions.wrong(
    "10.matmul_backward",
    belief="The two gradients come in the order in which they are computed on the way back: b first.",
    lesson="They come in the order of the factors: a, then b.",
)
def turns_the_pair_around(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    of_a, of_b = into(wide @ right.mT, left.shape), into(left.mT @ wide, right.shape)
    return of_b.reshape(b.shape), of_a.reshape(a.shape)


@solutions.wrong(
    "10.matmul_backward",
    belief="To transpose is to turn the order of all dimensions around.",
    lesson="The leading dimensions count matrices. Only the last two are rows and columns: .mT.",
)
def turns_the_batch_around(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    turned = [x.permute(tuple(range(x.dim()))[::-1]) for x in (left, right)]
    return (
        into(wide @ turned[1], left.shape).reshape(a.shape),
        into(turned[0] @ wide, right.shape).reshape(b.shape),
    )


@solutions.wrong(
    "10.matmul_backward",
    belief="Dimensions that were missing are summed away, and then the gradient fits.",
    lesson="A batch of size 1 was stretched as well. It keeps its dimension and is summed.",
)
def sums_the_missing_only(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    of_a, of_b = wide @ right.mT, left.mT @ wide
    while of_a.dim() > left.dim():
        of_a = of_a.sum(0)
    while of_b.dim() > right.dim():
        of_b = of_b.sum(0)
    return (
        of_a.reshape(a.shape) if of_a.numel() == a.numel() else of_a,
        of_b.reshape(b.shape) if of_b.numel() == b.numel() else of_b,
    )


@solutions.wrong(
    "10.matmul_backward",
    belief="A matrix that serves a batch gets the mean of the gradients.",
    lesson="It takes part in every product of the batch, and what comes back adds up.",
)
def takes_the_mean_over_the_batch(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    results = []
    for gradient, own, x in ((wide @ right.mT, left, a), (left.mT @ wide, right, b)):
        summed = into(gradient, own.shape)
        results.append((summed * (own.numel() / max(gradient.numel(), 1))).reshape(x.shape))
    return tuple(results)


@solutions.wrong(
    "10.matmul_backward",
    belief="Every factor is a matrix or a batch of them.",
    lesson="A vector is a factor, too, and has no transpose. Put its missing dimension in first.",
)
def knows_no_vectors(grad, a, b):
    return into(grad @ b.mT, a.shape), into(a.mT @ grad, b.shape)


@solutions.wrong(
    "10.matmul_backward",
    belief="A vector counts as a column.",
    lesson="On the right it does. On the left it is a row: (k) times (k, n) is (n).",
)
def takes_every_vector_for_a_column(grad, a, b):
    if a.dim() == 1:
        grad, a = grad[..., None], a[:, None]
    elif b.dim() == 1:
        wide, left, right = as_matrices(grad, a, b)
        return into(wide @ right.mT, left.shape), into(left.mT @ wide, right.shape).reshape(b.shape)
    return into(grad @ b.mT, a.shape), into(a.mT @ grad, b.shape)


@solutions.wrong(
    "10.matmul_backward",
    belief="The gradient of a vector is a matrix of one row or one column.",
    lesson="It has the vector's own shape. The dimension that was put in has to come out again.",
)
def leaves_the_dimension_in(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    return into(wide @ right.mT, left.shape), into(left.mT @ wide, right.shape)


@solutions.wrong(
    "10.matmul_backward",
    belief="A vector beside a batch has a gradient for each matrix of the batch.",
    lesson="It is one vector, which served all of them. Sum over the batch.",
)
def gives_a_vector_a_batch(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    of_a, of_b = wide @ right.mT, left.mT @ wide
    if a.dim() == 1:
        return of_a.squeeze(-2), into(of_b, right.shape).reshape(b.shape)
    if b.dim() == 1:
        return into(of_a, left.shape), of_b.squeeze(-1)
    return into(of_a, a.shape), into(of_b, b.shape)


@solutions.wrong(
    "10.matmul_backward",
    belief="A list of gradients is as good as a tuple.",
    lesson="Here a tuple is asked for, as from every backward with several operands.",
)
def returns_a_list(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    return [
        into(wide @ right.mT, left.shape).reshape(a.shape),
        into(left.mT @ wide, right.shape).reshape(b.shape),
    ]


@solutions.wrong(
    "10.matmul_backward",
    belief="By symmetry, the gradient of b is grad times a transposed.",
    lesson="The order matters: b stands on the right, so in its gradient grad stands on the right as well.",
)
def multiplies_on_the_wrong_side(grad, a, b):
    wide, left, right = as_matrices(grad, a, b)
    of_a = into(wide @ right.mT, left.shape).reshape(a.shape)
    return of_a, into(wide @ left.mT, right.shape).reshape(b.shape)
