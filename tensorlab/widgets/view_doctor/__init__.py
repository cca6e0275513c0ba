"""The View Doctor: which neighbouring dimensions merge, which views exist, and the copy reshape would make.

The rule is ``viewStrides`` in ``shared/views.js`` and, word for word the same,
`tensorlab.core.layout.view_strides`.
"""
