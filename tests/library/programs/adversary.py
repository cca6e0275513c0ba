"""Gradients of inputs: a picture changed against a classifier, a style by Gram matrices, saliency."""

import torch
import torch.nn.functional as F

torch.manual_seed(21)
weights = [torch.randn(16, 10) * 0.4, torch.randn(10, 4) * 0.5]
image = torch.rand(1, 16)


def model(x):
    return F.log_softmax(torch.relu(x @ weights[0]) @ weights[1], dim=1)


def fgsm_attack(image, epsilon, data_grad):
    return torch.clamp(image + epsilon * data_grad.sign(), 0, 1)


target = model(image).argmax(1)
data = image.clone()
data.requires_grad = True
loss = F.nll_loss(model(data), target)
loss.backward()
print(loss, target, data.grad.data.abs().max())
for epsilon in (0, 0.1, 0.3):
    changed = fgsm_attack(data, epsilon, data.grad.data)
    print(
        epsilon, f"{model(changed)[0, target.item()].exp():.4f}", changed.min() >= 0, changed.grad_fn.name()
    )
saliency, _ = data.grad.abs().view(4, 4).max(dim=1)
print(saliency)


def gram_matrix(maps):
    a, b, c, d = maps.size()
    features = maps.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


style = gram_matrix(torch.rand(1, 3, 4, 4))
guess = torch.rand(1, 3, 4, 4, requires_grad=True)
for step in range(60):
    loss = F.mse_loss(gram_matrix(guess), style) * 100
    guess.grad = None
    loss.backward()
    with torch.no_grad():
        guess -= 0.5 * guess.grad
        guess.clamp_(0, 1)
    if step % 20 == 0:
        print(step, f"{loss.item():.5f}")
print(torch.dist(gram_matrix(guess), style) < 0.1, gram_matrix(guess).shape)
