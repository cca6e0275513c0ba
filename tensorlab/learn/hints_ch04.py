"""Hints of chapter 4: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "04.merge_axes": (
        "Two neighbouring dimensions merge when the cells of both together are evenly spaced: one more "
        "inner step past the end of a row leads to the beginning of the next one.",
        "Falling strides are not enough. In (2, 3) with strides (4, 1) a row ends in cell 2 and the next "
        "begins in cell 4: steps of 1 inside, a step of 2 between. With strides (3, 1) the two merge.",
        "Go through the dimensions from the left and leave out those of size 1. Keep lists of merged sizes "
        "and strides, and compare each new dimension with the last one that you kept.",
        "if steps[-1] == step * size: sizes[-1] = sizes[-1] * size; steps[-1] = step",
    ),
    "04.infer_size": (
        "The number of elements stays. What the known sizes multiply to, times the unknown one, is that "
        "number.",
        "Dividing is not always possible. (4, -1) for 6 elements: 6 / 4 is no whole number, so no size fits. "
        "(0, -1) for 0 elements: every size fits. Both are errors, with different texts.",
        "Raise the errors for sizes below -1 and for a second -1 first. Then multiply the sizes that are "
        "not -1, and look whether the product is 0 before you divide by it.",
        "known = layout.numel(tuple(size for size in shape if size != -1))",
    ),
    "04.contiguous": (
        "There are two cases. Either nothing has to be done, or every element is written into a new storage, "
        "row after row.",
        "x.t().clone() has the strides of x.t(), so it is not contiguous either. Being a copy makes "
        "nothing contiguous.",
        "Ask layout.is_contiguous with the shape and the strides. If it says yes, return the input itself. "
        "Else make an empty tensor of this shape and dtype, and write the input into it.",
        "copy = tl.empty(input.shape, dtype=input.dtype); copy[...] = input",
    ),
    "04.reshape": (
        "reshape is two questions in a row. Is there a view? Then that is the answer. If not, a contiguous "
        "copy has a view of every shape.",
        "as_strided((4, 3), (1, 4)) is not contiguous, and reshape(2, 2, 3) of it is a view. A reshape that "
        "begins with contiguous() copies 96 bytes for nothing.",
        "Infer the shape with layout.infer_size, then ask layout.view_strides. It returns strides, or a "
        "layout.Refusal.",
        "if isinstance(strides, layout.Refusal): input = input.contiguous()",
    ),
    "04.flatten": (
        "The new shape has three parts: the sizes before start_dim, the product of those that are joined, "
        "and the sizes after end_dim. reshape does the rest.",
        "A tensor of shape () has one element, and its flat form has shape (1,). Squeezing instead drops "
        "that 1.",
        "Count both dimensions from the front with layout.wrap_dim(dim, input.dim()), which raises the "
        "error for those that do not exist. Raise one for a start after the end. With nothing to join, "
        "return the input.",
        "joined = layout.numel(input.shape[first : last + 1])",
    ),
    "04.view_strides": (
        "Dimensions that merge form a run. It can be cut into any sizes whose product is its length. A new "
        "dimension can never cross from one run into the next.",
        "Not contiguous does not mean no view. In (3, 2, 4) with strides (4, 12, 1) nothing merges: the "
        "runs are 3, 2 and 4. (3, 2, 2, 2) cuts the last one and is a view. (6, 4) would have to join the "
        "first two.",
        "Merge the dimensions with layout.merge_axes. Then go through the new sizes from the right, and "
        "take each from the last run that still has something left. A size that does not divide what is "
        "left crosses a border. Sizes of 1 take nothing.",
        "new_strides.append(step); left, step = left // size, step * size",
    ),
}
