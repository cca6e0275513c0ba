"""A walk on a grid: Q-learning, values by iteration and by a linear system, advantages."""

import torch

torch.manual_seed(1)
H, Wd = 4, 4
goal, pit = (3, 3), (1, 1)
Q = torch.zeros(H, Wd, 4)
moves = torch.tensor([[-1, 0], [1, 0], [0, -1], [0, 1]])
for ep in range(200):
    pos = torch.tensor([0, 0])
    for _ in range(30):
        a = torch.randint(4, ()).item() if torch.rand(1) < 0.3 else Q[tuple(pos)].argmax().item()
        nxt = (pos + moves[a]).clamp(0, 3)
        r = 1.0 if tuple(nxt.tolist()) == goal else -1.0 if tuple(nxt.tolist()) == pit else -0.02
        done = abs(r) == 1
        target = r + (0 if done else 0.9 * Q[tuple(nxt)].max())
        Q[pos[0], pos[1], a] += 0.3 * (target - Q[pos[0], pos[1], a])
        pos = nxt
        if done:
            break
print(Q.max(-1).values.round(decimals=2), Q.argmax(-1))
V = torch.zeros(16)
P = torch.zeros(4, 16, 16)
for s in range(16):
    for a in range(4):
        i, j = divmod(s, 4)
        ni, nj = max(0, min(3, i + moves[a, 0].item())), max(0, min(3, j + moves[a, 1].item()))
        P[a, s, ni * 4 + nj] = 1
R = torch.full((16,), -0.02)
R[15], R[5] = 1.0, -1.0
term = torch.zeros(16, dtype=torch.bool)
term[[5, 15]] = True
P[:, term] = 0
for it in range(100):
    Qs = torch.einsum("asn,n->as", P, R + 0.9 * V * ~term)
    newV = Qs.max(0).values
    if torch.max(torch.abs(newV - V)) < 1e-6:
        break
    V = newV
print(it, V.view(4, 4), Qs.argmax(0).view(4, 4))
pi = torch.zeros(16, 4).scatter_(1, Qs.argmax(0, keepdim=True).T, 1.0)
Ppi = torch.einsum("sa,asn->sn", pi, P)
Vpi = torch.linalg.solve(torch.eye(16) - 0.9 * Ppi * (~term), Ppi @ R)
print((Vpi - V).abs().max() < 1e-4)
gae, adv = 0.0, []
rew, val = torch.tensor([0.0, 1.0, 0.0, 2.0]), torch.tensor([0.5, 0.4, 0.3, 0.2, 0.0])
for t in reversed(range(4)):
    delta = rew[t] + 0.99 * val[t + 1] - val[t]
    gae = delta + 0.99 * 0.95 * gae
    adv.insert(0, gae)
adv = torch.stack(adv)
ratio = torch.exp(torch.tensor([0.1, -0.3, 0.5, 0.0]))
print(adv, -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean())
