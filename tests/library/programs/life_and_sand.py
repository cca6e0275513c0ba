"""Cellular automata: life by convolution and by rolls, elementary rules, a sand pile."""

import torch
import torch.nn.functional as F

g = torch.zeros(8, 8, dtype=torch.int8)
g[1, 2] = g[2, 3] = 1
g[3, 1:4] = 1
h = g.clone()
kernel = torch.ones(1, 1, 3, 3)
kernel[0, 0, 1, 1] = 0
for step in range(4):
    n = sum(torch.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    g = ((n == 3) | ((g == 1) & (n == 2))).to(torch.int8)
    padded = F.pad(h.float()[None, None], (1, 1, 1, 1), mode="circular")
    m = F.conv2d(padded, kernel)[0, 0].round().to(torch.int8)
    h = torch.where((m == 3) | (h.bool() & (m == 2)), torch.ones_like(h), torch.zeros_like(h))
    print(step, g.sum().item(), torch.equal(g, h), n.dtype)
print("\n".join("".join("#" if c else "." for c in row) for row in g.tolist()))
rule = torch.tensor([(110 >> i) & 1 for i in range(8)])
row = torch.zeros(16, dtype=torch.long)
row[-1] = 1
for _ in range(6):
    print("".join(map(str, row.tolist())))
    row = rule[4 * row.roll(1) + 2 * row + row.roll(-1)]
pile = torch.zeros(5, 5, dtype=torch.long)
pile[2, 2] = 40
while (pile > 3).any():
    over = (pile > 3).long()
    pile -= 4 * over
    spread = F.pad(over, (1, 1, 1, 1))
    pile += spread[:-2, 1:-1] + spread[2:, 1:-1] + spread[1:-1, :-2] + spread[1:-1, 2:]
print(pile, pile.sum())
bits = torch.arange(8).unsqueeze(1).bitwise_and(torch.tensor([4, 2, 1])).ne(0).byte()
print(
    bits, (bits.long() * torch.tensor([4, 2, 1])).sum(1), bits.dtype, ~bits[1], bits[5] ^ bits[3], bits << 1
)
