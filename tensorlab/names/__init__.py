"""Named dimensions: a tensor that knows what each of its dimensions means.

Which dimension of a batch of images is the height, 2 or 3? The number does not say. With names it does::

    images = tl.zeros(32, 3, 64, 64, names=("N", "C", "H", "W"))
    images.sum("H")                 # instead of images.sum(2)

PyTorch had named tensors as an experiment and took them out again. The idea is worth having: a whole class of
mistakes, the right numbers along the wrong dimension, turns into an error that names the dimension.

**What a name is.** A text that could be a variable in Python, different from the others of its tensor. None
is a dimension without a name. Names say nothing about memory; `rename` makes a view.

**What an operation does with them.**

===========================================  ===========================================================
kind of operation                            names of the result
===========================================  ===========================================================
one tensor, element by element, cumulative   as they were
several tensors, element by element          unified from the right: two names are equal, or one is None
reduction                                    without the reduced dimension; with it if ``keepdim``
transpose, permute, select, squeeze, ``[]``  they go where their dimension goes
expand, unsqueeze, stack                     None for the new dimension
matrix product                               the contracted pair goes; the rest must not repeat a name
===========================================  ===========================================================

Names are compared from the right because sizes are broadcast from the right. A name that stands in another
place in the other tensor is an error, even opposite None: the two tensors do not mean the same dimension
there. `align_to` brings the dimensions in line, and `align_as` does it after the model of another tensor.

**Nothing is guessed.** An operation that has no rule for names refuses a tensor that has some, and says so.
``x.rename(None)`` is the same tensor without names. `view` and `reshape` are of this kind: what would be the
name of six elements that were rows before? `flatten` and `unflatten` take the names that you say.

**How it is made.** A tensor with names is a `NamedTensor`, which holds an ordinary tensor and the names, and
no memory of its own. Every rule takes the ordinary tensors out, lets the ordinary function work, and puts the
names on its result. A function without a rule looks for the memory and finds the refusal. So methods and
operators of tensors without names do nothing more than before.

Example:
    >>> import tensorlab as tl
    >>> x = tl.arange(6).view(2, 3).refine_names("N", "C")
    >>> x.sum("C")
    tensor([ 3, 12], names=('N',))
    >>> (x + tl.tensor([10, 20, 30]).refine_names("C")).names
    ('N', 'C')
    >>> x.align_to("C", "N").names
    ('C', 'N')
    >>> x.rename(C="W") + x
    Traceback (most recent call last):
        ...
    RuntimeError: names ('N', 'W') and ('N', 'C') do not match: counted from the right, dimension -1 is 'W' \
in one and 'C' in the other. If they mean the same, rename one: x.rename(C='W'); if not, bring them in line: \
x.align_to(...)
"""

from __future__ import annotations

from tensorlab.names import functions
from tensorlab.names.binding import bind, following, looks_itself
from tensorlab.names.tensor import CarriesNames, NamedTensor, named

__all__ = ["CarriesNames", "NamedTensor", "bind", "following", "functions", "looks_itself", "named"]
