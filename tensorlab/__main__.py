"""``python -m tensorlab``: the command line without its entry script."""

import sys

from tensorlab.bootstrap import ENVIRONMENT

try:
    from tensorlab.cli import app
except ModuleNotFoundError as error:
    print(
        f"tensorlab: the package {error.name} is not installed for {sys.executable}; "
        "run `python3 book` in the project's folder, which installs it into .venv.",
        file=sys.stderr,
    )
    sys.exit(ENVIRONMENT)

if __name__ == "__main__":
    app(prog_name="tensorlab")
