"""``tensorlab``, and ``python -m tensorlab``: the command line; a missing package becomes one sentence."""

import os
import sys

from tensorlab.bootstrap import ENVIRONMENT, ROOT, way_to_install

#: The commands that try answers. Their tensors are small and of many shapes: to compile kernels for them
#: would take longer than to interpret them.
INTERPRETED = ("check", "grade", "watch")


def main() -> None:
    """Run the command that the program was called with."""
    if sys.argv[1:2] and sys.argv[1] in INTERPRETED:
        os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    try:
        from tensorlab.cli import app

        app(prog_name="tensorlab")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("tensorlab"):
            raise
        package = f"tensorlab: the package {error.name} is not installed for {sys.executable}; "
        print(package + way_to_install(ROOT), file=sys.stderr)
        sys.exit(ENVIRONMENT)


if __name__ == "__main__":
    main()
