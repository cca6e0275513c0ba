"""``tensorlab watch``: try the answers of a notebook after every save.

- `files`: a save, noticed; and the notebook, read when it is whole
- `rounds`: the answers tried in a box that is already running, and given up when a newer save comes
- `versions`: what the answers were before
- `keys`: single keys, where there is a terminal
- `screen`: what is shown, on a terminal and elsewhere
- `loop`: all of it together

A student's code runs in the boxes in which `tensorlab check` runs it, and nowhere else.
"""
