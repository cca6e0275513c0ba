"""Conway's game of life on a torus: neighbours by roll, rules by masks."""

import torch

world = torch.zeros(8, 8, dtype=torch.int)
world[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
for generation in range(8):
    neighbours = sum(
        torch.roll(world, (i, j), dims=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
    )
    born = (world == 0) & (neighbours == 3)
    survive = (world == 1) & ((neighbours == 2) | (neighbours == 3))
    world = (born | survive).int()
    print(generation, world.sum().item(), world.nonzero().tolist())
print("\n".join("".join(" #"[cell] for cell in row) for row in world.tolist()))
