"""Viterbi and forward algorithms of a hidden Markov model, in logarithms."""

import torch

start = torch.tensor([0.6, 0.3, 0.1]).log()
move = torch.tensor([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]).log()
emit = torch.tensor([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]]).log()
seen = torch.tensor([0, 1, 2, 2, 0, 1])

score, back = start + emit[:, seen[0]], []
alpha = score.clone()
for symbol in seen[1:]:
    best, origin = (score[:, None] + move).max(dim=0)
    score = best + emit[:, symbol]
    back.append(origin)
    alpha = torch.logsumexp(alpha.unsqueeze(1) + move, dim=0) + emit[:, symbol]
path = [score.argmax().item()]
for origin in reversed(back):
    path.append(origin[path[-1]].item())
print(path[::-1], score.max(), torch.stack(back))
print("likelihood", alpha.logsumexp(0).exp(), torch.softmax(alpha, 0))
