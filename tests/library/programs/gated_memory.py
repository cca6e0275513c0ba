"""The gates of an LSTM and of a GRU, step by step, and their gradients through twelve steps."""

import torch


def three(num_inputs, num_hiddens):
    return (
        torch.randn(num_inputs, num_hiddens) * 0.3,
        torch.randn(num_hiddens, num_hiddens) * 0.3,
        torch.zeros(num_hiddens),
    )


torch.manual_seed(31)
inputs = torch.randn(12, 2, 3)
gates = [[p.requires_grad_() for p in three(3, 4)] for _ in range(4)]


def lstm(inputs, H, C):
    (W_xi, W_hi, b_i), (W_xf, W_hf, b_f), (W_xo, W_ho, b_o), (W_xc, W_hc, b_c) = gates
    outputs = []
    for X in inputs:
        i = torch.sigmoid((X @ W_xi) + (H @ W_hi) + b_i)
        f = torch.sigmoid((X @ W_xf) + (H @ W_hf) + b_f)
        o = torch.sigmoid((X @ W_xo) + (H @ W_ho) + b_o)
        C_tilda = torch.tanh((X @ W_xc) + (H @ W_hc) + b_c)
        C = f * C + i * C_tilda
        H = o * torch.tanh(C)
        outputs.append(H)
    return torch.stack(outputs), (H, C)


def gru(inputs, H):
    (W_xz, W_hz, b_z), (W_xr, W_hr, b_r), (W_xh, W_hh, b_h) = gates[:3]
    for X in inputs.unbind(0):
        Z = torch.sigmoid(torch.addmm(b_z, X, W_xz) + H @ W_hz)
        R = torch.sigmoid(X @ W_xr + H @ W_hr + b_r)
        H_tilda = torch.tanh(X @ W_xh + (R * H) @ W_hh + b_h)
        H = Z * H + (1 - Z) * H_tilda
    return H


start = torch.zeros(2, 4)
outputs, (H, C) = lstm(inputs, start, start)
print(outputs.shape, H, C)
(outputs[-1] ** 2).sum().backward()
print([round(p.grad.norm().item(), 4) for gate in gates for p in gate])
last = gru(inputs, start)
print(last, torch.autograd.grad(last.sum(), gates[0][0])[0].shape, (1 - last).grad_fn.name())
weights = torch.randn(8, 3, 4, requires_grad=True)
i, f, g, o = (inputs[0] @ weights.view(2, 4, 3, 4)[0]).chunk(4, 0)
print(i.shape, i.squeeze(0)[0], torch.einsum("bi,gih->gbh", inputs[0], weights).shape)
