"""The Stride Lab: what view operations do to shape, strides and offset, and what a walk costs.

The rules are in ``shared/views.js`` and, word for word the same, in `tensorlab.core.view_rules` and
`tensorlab.core.part_rules`; ``view.js`` joins the parts of the picture; ``widget.py`` is the Python side.
"""
