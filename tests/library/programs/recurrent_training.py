"""A recurrent net that learns to echo, trained through truncated time with clipped gradients."""

import torch
import torch.nn.functional as F


def init(vocab, hidden):
    def normal(*shape):
        return torch.randn(shape) * 0.1

    params = [
        normal(vocab, hidden),
        normal(hidden, hidden),
        torch.zeros(hidden),
        normal(hidden, vocab),
        torch.zeros(vocab),
    ]
    for param in params:
        param.requires_grad_(True)
    return params


def rnn(inputs, state, params):
    W_xh, W_hh, b_h, W_hq, b_q = params
    outputs = []
    for X in inputs:
        state = torch.tanh(torch.mm(X, W_xh) + torch.mm(state, W_hh) + b_h)
        outputs.append(torch.mm(state, W_hq) + b_q)
    return torch.cat(outputs, dim=0), state


def clip(params, theta):
    norm = torch.sqrt(sum(torch.sum(p.grad**2) for p in params))
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm
    return norm


torch.manual_seed(7)
text = "the time traveller for so it will be convenient to speak of him was expounding "
chars = sorted(set(text))
corpus = torch.tensor([chars.index(c) for c in text])
vocab, hidden, steps, batch = len(chars), 16, 5, 2
params = init(vocab, hidden)
half = (len(corpus) - 1) // batch
Xs, Ys = corpus[: half * batch].reshape(batch, -1), corpus[1 : half * batch + 1].reshape(batch, -1)
print(Xs.shape, F.one_hot(torch.tensor([0, 2]), 4), vocab)
for epoch in range(12):
    state, total, count, norms = torch.zeros(batch, hidden), 0.0, 0, []
    for start in range(0, half - steps, steps):
        X, Y = Xs[:, start : start + steps], Ys[:, start : start + steps]
        state = state.detach()
        logits, state = rnn(F.one_hot(X.T, vocab).type(torch.float32), state, params)
        loss = F.cross_entropy(logits, Y.T.reshape(-1).long())
        loss.backward()
        norms.append(clip(params, 1))
        with torch.no_grad():
            for p in params:
                p -= 1.0 * p.grad
                p.grad.zero_()
        total += loss.item() * Y.numel()
        count += Y.numel()
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1}: loss {total / count:.3f}, largest norm {max(norms).item():.3f}")
print(state.shape, state.requires_grad, state.grad_fn.name())
