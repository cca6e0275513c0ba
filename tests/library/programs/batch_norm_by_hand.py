"""Batch normalisation from its formulas, with running statistics, beside the function."""

import torch
import torch.nn.functional as F


def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
    if not torch.is_grad_enabled():
        X_hat = (X - moving_mean) / torch.sqrt(moving_var + eps)
    else:
        assert len(X.shape) in (2, 4)
        if len(X.shape) == 2:
            mean = X.mean(dim=0)
            var = ((X - mean) ** 2).mean(dim=0)
        else:
            mean = X.mean(dim=(0, 2, 3), keepdim=True)
            var = ((X - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
        X_hat = (X - mean) / torch.sqrt(var + eps)
        moving_mean = (1.0 - momentum) * moving_mean + momentum * mean
        moving_var = (1.0 - momentum) * moving_var + momentum * var
    Y = gamma * X_hat + beta
    return Y, moving_mean.data, moving_var.data


torch.manual_seed(11)
X = torch.randn(5, 3, 4, 4) * 3 + 1
shape = (1, 3, 1, 1)
gamma, beta = torch.ones(shape, requires_grad=True), torch.zeros(shape, requires_grad=True)
mean, var = torch.zeros(shape), torch.ones(shape)
for step in range(3):
    Y, mean, var = batch_norm(X, gamma, beta, mean, var, 1e-5, 0.1)
print(Y.shape, mean.reshape(-1), var.reshape((-1,)))
Y.pow(3).mean().backward()
print(gamma.grad.reshape((-1,)), beta.grad.view(-1))
with torch.no_grad():
    print(batch_norm(X, gamma, beta, mean, var, 1e-5, 0.1)[0][0, :, 0, 0])
running_mean, running_var = torch.zeros(3), torch.ones(3)
out = F.batch_norm(X, running_mean, running_var, training=True, momentum=0.1)
print(torch.allclose(out, Y, atol=1e-5), running_mean, running_var)
flat = torch.randn(6, 2, requires_grad=True)
z, m, v = batch_norm(flat, torch.ones(2), torch.zeros(2), torch.zeros(2), torch.ones(2), 1e-5, 1.0)
print(z.mean(0).abs() < 1e-6, z.std(0, unbiased=False), m, v)
print(F.layer_norm(X[0, 0], (4,))[0], F.group_norm(X, 3)[0, 0, 0], F.instance_norm(X)[0, 1, 0])
