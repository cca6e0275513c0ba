"""Where the ledger of a folder of submissions lies when nobody says."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tensorlab.learn import progress


def ledger_of(submissions: Path) -> Path:
    """The ledger of a folder: in this user's data, and so out of reach of what a run writes into its results.

    Two folders of one name have two ledgers.
    """
    folder = submissions.resolve()
    digest = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()
    return progress.folder() / "ledgers" / f"{folder.name}-{digest[:12]}.sqlite"
