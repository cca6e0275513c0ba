"""The Storage Lab: a tensor's cells and the flat storage that they lie in.

The rules are in ``shared/layout.js`` and, word for word the same, in `tensorlab.core.layout`; ``view.js``
joins the parts of the picture; ``widget.py`` is the Python side.
"""
