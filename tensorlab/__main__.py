"""``python -m tensorlab``: the command line without its entry script."""

from tensorlab.cli import app

if __name__ == "__main__":
    app(prog_name="tensorlab")
