"""Batch and layer normalisation by mean, var and rsqrt, in training and with running averages."""

import torch

torch.manual_seed(10)
X = torch.randn(6, 3, 4, 4) * torch.tensor([1.0, 2.0, 3.0]).view(1, -1, 1, 1) + 5
gamma, beta = torch.ones(1, 3, 1, 1), torch.zeros(1, 3, 1, 1)
running_mean, running_var, momentum, eps = torch.zeros(3), torch.ones(3), 0.1, 1e-5
var, mean = torch.var_mean(X, dim=(0, 2, 3), unbiased=False, keepdim=True)
normal = (X - mean) * torch.rsqrt(var + eps) * gamma + beta
running_mean.lerp_(mean.flatten(), momentum)
running_var.mul_(1 - momentum).add_(momentum * X.var(dim=(0, 2, 3)))
print(normal.mean((0, 2, 3)).abs().max() < 1e-5, normal.std((0, 2, 3), unbiased=False))
print(running_mean, running_var)
frozen = (X - running_mean[:, None, None]) / (running_var + eps).sqrt()[:, None, None]
print(frozen.shape, frozen.mean())
flat = X.flatten(1)
layer = (flat - flat.mean(-1, keepdim=True)) / torch.sqrt(flat.var(-1, unbiased=False, keepdim=True) + eps)
print(layer.shape, layer.norm(dim=1), torch.nn.functional.normalize(flat, dim=1)[0, :4])
