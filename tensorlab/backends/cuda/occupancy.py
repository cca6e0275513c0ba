"""How many warps a multiprocessor has to choose from, by what each of them needs.

The limits are those of NVIDIA's CUDA C++ Programming Guide, "Compute Capabilities", tables "Device and
Streaming Multiprocessor Information" and "Memory Information". How registers and shared memory are rounded is
said by the header ``cuda_occupancy.h`` of the CUDA toolkit, whose results these are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tensorlab.backends.cuda.simulator import WARP

# All cards below: registers of a multiprocessor, in four parts; those that a warp gets come in such units.
REGISTERS, PARTS, REGISTER_UNIT, MOST_REGISTERS = 65_536, 4, 256, 255
THREADS = 1024  # of a block, at most


class Limits(NamedTuple):
    """What a multiprocessor of a card has.

    Attributes:
        warps, blocks: how many it holds at once, at most.
        shared: its shared memory, in bytes.
        unit: the shared memory of a block comes in units of so many bytes.
        reserved: bytes of shared memory that the system keeps for itself in each block.
    """

    warps: int
    blocks: int
    shared: int
    unit: int
    reserved: int


LIMITS = {
    (7, 5): Limits(warps=32, blocks=16, shared=64 << 10, unit=256, reserved=0),  # T4, RTX 20
    (8, 0): Limits(warps=64, blocks=32, shared=164 << 10, unit=128, reserved=1 << 10),  # A100
    (9, 0): Limits(warps=64, blocks=32, shared=228 << 10, unit=128, reserved=1 << 10),  # H100, H200
}


@dataclass(frozen=True)
class Occupancy:
    """How full blocks make a multiprocessor.

    Attributes:
        blocks: how many it holds at once.
        warps: how many warps these are.
        most: how many warps it could hold.
        limit: what there is too little of for another block: ``"registers"``, ``"shared memory"``,
            ``"warps"`` or ``"blocks"``.
    """

    blocks: int
    warps: int
    most: int
    limit: str

    @property
    def share(self) -> float:
        """The occupancy: warps that it holds over warps that it could hold."""
        return self.warps / self.most

    def __repr__(self) -> str:
        return (
            f"{self.share:.0%} occupancy: {self.blocks} blocks, {self.warps} of {self.most} warps; "
            f"limited by {self.limit}"
        )


def occupancy(
    threads: int, registers: int, shared: int = 0, capability: tuple[int, int] = (8, 0)
) -> Occupancy:
    """How many blocks a multiprocessor holds at once, and what limits them.

    While a warp waits for memory, another one can go on: the more there are to choose from, the more waiting
    is hidden. A compiler says how many registers a thread needs.

    Args:
        threads: of a block, 1 to 1024.
        registers: of a thread, 32 bits each, 1 to 255.
        shared: shared memory of a block, in bytes.
        capability: the card's compute capability: (7, 5) is a T4, (8, 0) an A100, (9, 0) an H100.

    Raises:
        ValueError: no card runs such a block, or the capability is not known here.

    Example:
        >>> from tensorlab import cuda
        >>> cuda.occupancy(threads=256, registers=32)
        100% occupancy: 8 blocks, 64 of 64 warps; limited by warps
        >>> cuda.occupancy(threads=256, registers=80)
        38% occupancy: 3 blocks, 24 of 64 warps; limited by registers
        >>> cuda.occupancy(threads=64, registers=32, shared=20_000, capability=(7, 5)).limit
        'shared memory'
    """
    if capability not in LIMITS:
        known = ", ".join(map(str, LIMITS))
        raise ValueError(f"occupancy: capability {capability} is not known; those that are: {known}")
    card = LIMITS[capability]
    for name, given, least, most in (
        ("threads", threads, 1, THREADS),
        ("registers", registers, 1, MOST_REGISTERS),
        ("shared", shared, 0, card.shared - card.reserved),
    ):
        if not least <= given <= most:
            raise ValueError(f"occupancy: a block has {name} from {least} to {most:,}, got {name}={given:,}")
    warps = -(-threads // WARP)
    # A part of the multiprocessor has a quarter of the registers, and a warp lives in one part.
    of_warp = _rounded(registers * WARP, REGISTER_UNIT)
    fitting = REGISTERS // PARTS // of_warp * PARTS // warps
    if of_warp * _rounded(warps, PARTS) > REGISTERS:
        raise ValueError(
            f"occupancy: {threads:,} threads with {registers} registers each need more than {REGISTERS:,}, "
            f"what a multiprocessor has: let the block have fewer threads, or the compiler fewer registers"
        )
    of_block = _rounded(shared + card.reserved, card.unit)
    holds = {
        "warps": card.warps // warps,
        "blocks": card.blocks,
        "registers": fitting,
        "shared memory": card.shared // of_block if of_block else card.blocks,
    }
    limit = min(holds, key=lambda what: holds[what])
    return Occupancy(holds[limit], holds[limit] * warps, card.warps, limit)


def _rounded(number: int, unit: int) -> int:
    """The least multiple of `unit` that is not below a number."""
    return -(-number // unit) * unit
