"""A chirp, its spectrogram by a matrix of cosines, and triangles on the mel scale."""

import math

import torch

rate, window, hop, bands = 2000, 64, 32, 8
time = torch.arange(rate // 2) / rate
chirp = torch.sin(2 * math.pi * (100 * time + 700 * time.square()))
frames = torch.nn.functional.pad(chirp, (window // 2, window // 2)).unfold(0, window, hop)
print(frames.shape, frames.stride(), frames._base is not None)

taper = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(window) / window)
turns = torch.outer(torch.arange(window // 2 + 1), torch.arange(window)) * (2 * math.pi / window)
cosines, sines = turns.cos(), turns.sin()
power = torch.hypot((frames * taper) @ cosines.mT, (frames * taper) @ sines.mT).pow(2)
print(power.shape, power.argmax(dim=1)[2:-2:4])


def mel(hertz):
    return 2595 * torch.log10(1 + hertz / 700)


def hertz(mels):
    return 700 * (10 ** (mels / 2595) - 1)


edges = hertz(torch.linspace(0, mel(torch.tensor(rate / 2)).item(), bands + 2))
bins = torch.linspace(0, rate / 2, window // 2 + 1)
rising = (bins - edges[:-2, None]) / edges.diff()[:-1, None]
falling = (edges[2:, None] - bins) / edges.diff()[1:, None]
filters = torch.minimum(rising, falling).clamp(min=0)
print(filters.shape, filters.count_nonzero(dim=1), filters.amax(1).gt(0.3))
heard = torch.einsum("tf,bf->bt", power, filters).clamp_min(1e-6).log10()
print(heard.argmax(0).tolist())
print("bands rise:", bool((heard.argmax(0)[1:-1].diff() >= 0).float().mean() > 0.8))
print(torch.round(heard[:, 10], decimals=2))
