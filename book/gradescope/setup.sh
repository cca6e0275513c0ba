#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends bubblewrap python3-venv
python3 -m venv /autograder/venv
/autograder/venv/bin/pip install /autograder/source/tensorlab-*.whl
