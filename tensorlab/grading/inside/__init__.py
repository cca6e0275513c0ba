"""What goes into the box with a student's code: read frames, run cells, call one function, answer.

This folder is loaded in the box as a package of its own, ``inside``, so nothing of the grader comes along: it
imports the standard library and ``tensorlab.core.dtypes``. The grader outside uses the same modules for the
frames and the plain values, and ``check`` uses the same `calls` in the student's kernel, so an answer is
described in the same words wherever it runs.
"""
