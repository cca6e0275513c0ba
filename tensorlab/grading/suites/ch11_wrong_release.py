"""Chapter 11, letting go: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "11.release",
    belief="After a backward pass the graph is gone, and a second pass is an error.",
    lesson="Only what was kept goes. x + 1 keeps nothing, so nothing is missing, and a second pass is fine.",
)
def lets_everything_go(node):
    node.kept = None


@solutions.wrong(
    "11.release",
    belief="Python frees what is not needed any more.",
    lesson="It frees what nobody refers to. The node refers to what it kept for as long as the node lives.",
)
def leaves_it_to_python(node):
    del node


@solutions.wrong(
    "11.release",
    belief="An empty tuple is as good as None.",
    lesson="() is what a node has that never kept anything, and that may run again. None says that something "
    "was let go.",
)
def empties_the_tuple(node):
    if any(version is not None for version in node.versions):
        node.kept = ()


@solutions.wrong(
    "11.release",
    belief="The tensors go, the numbers may stay in their places.",
    lesson="Then the node has a tuple, and the next backward pass computes with None. It has to find out "
    "that something was let go: node.kept is None.",
)
def replaces_the_tensors(node):
    if node.kept is not None:
        node.kept = tuple(None if isinstance(value, tl.Tensor) else value for value in node.kept)


@solutions.wrong(
    "11.release",
    belief="The first value is the operand; if that is no tensor, there is nothing to free.",
    lesson="2 * x keeps them in the other order. One tensor anywhere is enough.",
)
def looks_at_the_first(node):
    if node.kept and isinstance(node.kept[0], tl.Tensor):
        node.kept = None


@solutions.wrong(
    "11.release",
    belief="A node that keeps tensors keeps nothing but tensors.",
    lesson="x ** 3 keeps a tensor and a number. Ask whether there is any tensor, not whether all are.",
)
def asks_whether_all_are(node):
    if node.kept and all(isinstance(value, tl.Tensor) for value in node.kept):
        node.kept = None


@solutions.wrong(
    "11.release",
    belief="To free memory means to clear it.",
    lesson="The cells belong to every tensor that looks into them: here the input of the operation itself "
    "was overwritten. Letting go means to drop the reference.",
)
def clears_the_cells(node):
    for value in node.kept or ():
        if isinstance(value, tl.Tensor):
            with tl.no_grad():
                value.zero_()
            node.kept = None


@solutions.wrong(
    "11.release",
    belief="detach() lets go of a tensor.",
    lesson="It lets go of the history. The detached tensor looks into the same storage and keeps all its "
    "bytes.",
)
def detaches(node):
    if node.kept is not None:
        node.kept = tuple(value.detach() if isinstance(value, tl.Tensor) else value for value in node.kept)


@solutions.wrong(
    "11.release",
    belief="With the tensors their versions go, too.",
    lesson="The versions are ints that take no memory worth speaking of, and they say that there was a "
    "tensor.",
)
def drops_the_versions(node):
    if any(version is not None for version in node.versions):
        node.kept = None
        node.versions = ()


@solutions.wrong(
    "11.release",
    belief="A tensor with version 0 was never written, so it need not be freed.",
    lesson="0 is a version like all others. Only None says that a value is no tensor.",
)
def takes_zero_for_none(node):
    if any(node.versions):
        node.kept = None


@solutions.wrong(
    "11.release",
    belief="Letting go twice is a mistake of the caller.",
    lesson="The engine tells every node that has run, and does not ask whether it has run before.",
)
def raises_the_second_time(node):
    if node.kept is None:
        raise RuntimeError("this node has let go already")
    if any(version is not None for version in node.versions):
        node.kept = None


@solutions.wrong(
    "11.release",
    belief="Deleting the attribute frees the most.",
    lesson="None frees the same, and the next backward pass can read it. Of a deleted attribute it can "
    "only say that it does not exist.",
)
def deletes_the_attribute(node):
    if any(version is not None for version in node.versions):
        del node.kept
