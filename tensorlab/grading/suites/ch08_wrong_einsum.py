"""Chapter 8, einsum: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def split(equation):
    left, output = equation.split("->")
    return left.split(","), output


def once(x, term):
    """The tensor with each letter once, and those letters. Unequal sizes are refused."""
    for letter in sorted(set(term)):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            if x.shape[first] != x.shape[second]:
                raise RuntimeError(f"{letter} stands for two sizes")
            x = x.diagonal(0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return x, term


def aligned(once_each, letters):
    """The tensor with all letters as dimensions, in this order; those that it lacks have size 1."""
    x, term = once_each
    x = x.permute([term.index(letter) for letter in letters if letter in term])
    for place, letter in enumerate(letters):
        if letter not in term:
            x = x.unsqueeze(place)
    return x


def multiplied(terms, operands, letters):
    product = None
    for term, x in zip(terms, operands, strict=True):
        x = aligned(once(x, term), letters)
        product = x if product is None else product * x
    return product


def rest(terms, output):
    """The letters that the output lacks."""
    return "".join(sorted(set("".join(terms)) - set(output)))


def summed(product, output):
    dims = tuple(range(len(output), product.dim()))
    return product.sum(dims) if dims else product


@solutions.wrong(
    "08.einsum",
    belief="Sums are made in int64, as sum() does it.",
    lesson="sum() does so for integers, so that they do not overflow. Products of floats are floats, in the "
    "dtype of the operands.",
)
def counts_in_int64(equation, *operands):
    terms, output = split(equation)
    product = multiplied(terms, operands, output + rest(terms, output))
    return product.sum(tuple(range(len(output), product.dim()))).long() if rest(terms, output) else product


@solutions.wrong(
    "08.einsum",
    belief="A letter comes twice in an operand at most, and only one letter does.",
    lesson="Every pair of equal letters is one diagonal. Go on until each letter is there once.",
)
def takes_one_diagonal(equation, *operands):
    terms, output = split(equation)
    if any(len(term) > len(set(term)) + 1 for term in terms):
        return operands[0].sum()
    return summed(multiplied(terms, operands, output + rest(terms, output)), output)


@solutions.wrong(
    "08.einsum",
    belief="The output has its letters in the order in which they came.",
    lesson='"ij,jk->ki" is the turned product. The output says in which order its dimensions stand.',
)
def order_of_appearance(equation, *operands):
    terms, output = split(equation)
    came = "".join(letter for letter in dict.fromkeys("".join(terms)) if letter in output)
    return summed(multiplied(terms, operands, came + rest(terms, output)), output)


@solutions.wrong(
    "08.einsum",
    belief="Dimensions come in alphabetical order.",
    lesson="They do when there is no arrow. With an arrow the output has the order after it.",
)
def alphabetical(equation, *operands):
    terms, output = split(equation)
    return summed(multiplied(terms, operands, "".join(sorted(output)) + rest(terms, output)), output)


@solutions.wrong(
    "08.einsum",
    belief="einsum is a way to write a matrix product.",
    lesson="It can write one. The equation says which letters go together and which are summed, and "
    "it need not be "
    "those.",
)
def always_a_matrix_product(equation, *operands):
    _, output = split(equation)
    if len(operands) == 2 and max(x.dim() for x in operands) == 2:
        return operands[0] @ operands[1]
    terms, output = split(equation)
    return summed(multiplied(terms, operands, output + rest(terms, output)), output)


@solutions.wrong(
    "08.einsum",
    belief="What is summed over is what two operands have in common.",
    lesson="What is summed over is what the output lacks. A letter of one operand alone can be missing "
    "there.",
)
def sums_only_what_is_shared(equation, *operands):
    terms, output = split(equation)
    lacking = rest(terms, output)
    product = multiplied(terms, operands, output + lacking)
    dims = [len(output) + i for i, letter in enumerate(lacking) if sum(letter in t for t in terms) > 1]
    return product.sum(tuple(dims)) if dims else product


@solutions.wrong(
    "08.einsum",
    belief="A letter that two operands share is always summed over.",
    lesson="Only if the output lacks it. If the output has it too, it is a batch: nothing is summed over it.",
)
def sums_all_that_is_shared(equation, *operands):
    terms, output = split(equation)
    product = multiplied(terms, operands, output + rest(terms, output))
    dims = [i for i, letter in enumerate(output) if sum(letter in term for term in terms) > 1]
    if dims:
        product = product.sum(tuple(dims), keepdim=True).expand(product.shape)
    return summed(product, output)


@solutions.wrong(
    "08.einsum",
    belief="A letter twice in one operand means the sum of the whole.",
    lesson='"ii->" is the sum of the diagonal: both dimensions run together.',
)
def ignores_repetition(equation, *operands):
    terms, output = split(equation)
    product, letters = None, output + rest(terms, output)
    for term, x in zip(terms, operands, strict=True):
        while len(set(term)) < len(term):
            place = next(i for i, letter in enumerate(term) if letter in term[:i])
            x, term = x.sum(place), term[:place] + term[place + 1 :]
        x = aligned((x, term), letters)
        product = x if product is None else product * x
    return summed(product, output)


@solutions.wrong(
    "08.einsum",
    belief="diagonal leaves the other dimensions where they were.",
    lesson="It takes both dimensions away and puts the diagonal last. The letters have to be moved with it.",
)
def diagonal_in_its_place(equation, *operands):
    terms, output = split(equation)
    product, letters = None, output + rest(terms, output)
    for term, x in zip(terms, operands, strict=True):
        for letter in sorted(set(term)):
            if term.count(letter) > 1:
                first, second = term.index(letter), term.rindex(letter)
                if x.shape[first] != x.shape[second]:
                    raise RuntimeError(f"{letter} stands for two sizes")
                x = x.diagonal(0, first, second)
                term = term[:second] + term[second + 1 :]
        x = aligned((x, term), letters)
        product = x if product is None else product * x
    return summed(product, output)


@solutions.wrong(
    "08.einsum",
    belief="Operands are aligned from the right, as in every product with *.",
    lesson="They are aligned by their letters. Put the dimensions in one order, and a size of 1 where a "
    "letter is missing.",
)
def aligned_from_the_right(equation, *operands):
    terms, output = split(equation)
    letters = output + rest(terms, output)
    product = None
    for term, x in zip(terms, operands, strict=True):
        x, term = once(x, term)
        x = x.permute([term.index(letter) for letter in letters if letter in term])
        product = x if product is None else product * x
    return summed(product, output)


@solutions.wrong(
    "08.einsum",
    belief="The result of a computation is a new tensor.",
    lesson='"ij->ji" computes nothing. It is another view of the same cells.',
)
def always_new(equation, *operands):
    terms, output = split(equation)
    return summed(multiplied(terms, operands, output + rest(terms, output)), output).clone()


@solutions.wrong(
    "08.einsum",
    belief="A permutation says where each dimension goes.",
    lesson="permute takes for each new dimension the old one. For three letters in a circle that is another "
    "order.",
)
def inverse_permutation(equation, *operands):
    terms, output = split(equation)
    if len(operands) == 1 and sorted(terms[0]) == sorted(output):
        return operands[0].permute([output.index(letter) for letter in terms[0]])
    return summed(multiplied(terms, operands, output + rest(terms, output)), output)


@solutions.wrong(
    "08.einsum",
    belief="There are one or two operands.",
    lesson="There are as many as the equation has commas, and one more.",
)
def two_at_most(equation, *operands):
    terms, output = split(equation)
    return summed(multiplied(terms[:2], operands[:2], output + rest(terms[:2], output)), output)


@solutions.wrong(
    "08.einsum",
    belief="The letters of a matrix with equal ones on both sides name its diagonal, whatever its sizes.",
    lesson="A letter stands for one size. A matrix of 2 rows and 3 columns has no diagonal that runs through "
    "both.",
)
def any_diagonal(equation, *operands):
    terms, output = split(equation)
    if len(operands) == 1 and operands[0].dim() == 2 and terms[0][0] == terms[0][1]:
        diagonal = operands[0].diagonal()
        return diagonal.sum() if output == "" else diagonal
    return summed(multiplied(terms, operands, output + rest(terms, output)), output)


@solutions.wrong(
    "08.einsum",
    belief="The product of the elements is what the arrow asks for; the mean makes it comparable.",
    lesson="einsum is a sum. Nothing is divided by the number of products.",
)
def mean_instead_of_sum(equation, *operands):
    terms, output = split(equation)
    product = multiplied(terms, operands, output + rest(terms, output))
    dims = tuple(range(len(output), product.dim()))
    count = tl.ones(product.shape, dtype=product.dtype).sum(dims) if dims else 1
    return product.sum(dims) // count if dims else product
