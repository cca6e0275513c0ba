"""A language model of pairs of letters: counting, chances, sampling, and the likelihood of the text."""

import torch

words = "anna otto emma hanna tom nora marta roman simon norman".split()
letters = ["."] + sorted(set("".join(words)))
index = {letter: i for i, letter in enumerate(letters)}
N = torch.zeros((len(letters), len(letters)), dtype=torch.int32)
for word in words:
    for a, b in zip("." + word, word + "."):
        N[index[a], index[b]] += 1
P = (N + 1).float()
P /= P.sum(1, keepdim=True)
print(N[0], P[0], P.shape, torch.allclose(P.sum(1), torch.ones(len(P))))
log_likelihood, count = 0.0, 0
for word in words:
    for a, b in zip("." + word, word + "."):
        log_likelihood += torch.log(P[index[a], index[b]])
        count += 1
print(f"{-log_likelihood / count:.4f} per letter, {count} letters")
g = torch.Generator().manual_seed(2147483647)
for _ in range(5):
    letter, name = 0, ""
    while True:
        letter = torch.multinomial(P[letter], num_samples=1, replacement=True, generator=g).item()
        if letter == 0 or len(name) > 10:
            break
        name += letters[letter]
    print(name)
one_hot = torch.nn.functional.one_hot(torch.tensor([index[c] for c in "anna"]), num_classes=len(letters))
print(one_hot.float() @ P.log() @ torch.ones(len(letters)))
