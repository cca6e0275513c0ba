"""Functions of one's own inside modules: binary weights, a reversed gradient, a swish; and hooks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function, gradcheck


class Binarize(Function):
    @staticmethod
    def forward(ctx, weight, clip):
        ctx.save_for_backward(weight)
        ctx.clip = clip
        return weight.sign()

    @staticmethod
    def backward(ctx, grad_output):
        (weight,) = ctx.saved_tensors
        return grad_output * (weight.abs() <= ctx.clip).to(grad_output.dtype), None


class ReverseGradient(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha, None


class SwishFunction(Function):
    @staticmethod
    def forward(ctx, i):
        result = i * torch.sigmoid(i)
        ctx.save_for_backward(i)
        return result

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        sigmoid_i = torch.sigmoid(i)
        return grad_output * (sigmoid_i * (1 + i * (1 - sigmoid_i)))


class BinaryLinear(nn.Linear):
    def __init__(self, *args, clip=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.clip = clip
        self.register_parameter("scale", nn.Parameter(torch.ones(self.out_features)))

    def forward(self, input):
        return F.linear(input, Binarize.apply(self.weight, self.clip), self.bias) * self.scale

    def extra_repr(self):
        return super().extra_repr() + f", clip={self.clip}"


class Swish(nn.Module):
    def forward(self, x):
        return SwishFunction.apply(x)


class DomainNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(5, 8), Swish(), BinaryLinear(8, 6, clip=0.2))
        self.label, self.domain = nn.Linear(6, 2), nn.Linear(6, 2)

    def forward(self, x, alpha):
        f = self.features(x)
        return self.label(f), self.domain(ReverseGradient.apply(f, alpha))


torch.manual_seed(2)
net = DomainNet()
print(net)
x, labels, domains = torch.randn(32, 5), torch.randint(2, (32,)), torch.randint(2, (32,))
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-2)
for step in range(5):
    optimizer.zero_grad()
    by_label, by_domain = net(x, alpha=0.3)
    loss = F.cross_entropy(by_label, labels) + F.cross_entropy(by_domain, domains)
    loss.backward()
    optimizer.step()
    print(f"{step}: {loss.item():.4f} {net.features[2].weight.grad.abs().sum():.4f}")
print(gradcheck(SwishFunction.apply, torch.randn(4, dtype=torch.double, requires_grad=True)))
z = torch.tensor([0.5], requires_grad=True)
try:
    (g,) = torch.autograd.grad(SwishFunction.apply(z), z, create_graph=True)
    g.backward()
except RuntimeError as error:
    print(type(error).__name__, str(error).split(":")[0][:40])
handles = []
seen = []
handles.append(net.features.register_forward_hook(lambda m, args, out: seen.append(tuple(out.shape))))
handles.append(net.label.register_full_backward_hook(lambda m, gi, go: seen.append(tuple(go[0].shape))))
net(x, 0.0)[0].sum().backward()
for handle in handles:
    handle.remove()
net(x, 0.0)
print(seen, net.features[2].scale.grad.shape)
