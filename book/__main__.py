"""``python3 book``: install what is missing, build the book, serve it and open it (``--help`` says more)."""

import importlib.util
import os
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
path = os.path.join(root, "tensorlab", "bootstrap", "__init__.py")  # by path: importing tensorlab needs NumPy
spec = importlib.util.spec_from_file_location("bootstrap", path)
bootstrap = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = bootstrap  # its files import one another
spec.loader.exec_module(bootstrap)
sys.exit(bootstrap.main("book", sys.argv[1:]))
