"""A first hour's look at the graph: losses of two parameters, given gradients, nodes, frozen parameters."""

import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
print(Q)
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad, -2 * b == b.grad)
print(a.grad, b.grad)
x, y, z = torch.ones(2, 2), torch.full((2, 2), 0.5), torch.ones(2, 2, requires_grad=True)
print((x + y).requires_grad, (x + z).requires_grad)
out = (z + 2) * (z + 2) * 3
print(out, out.mean())
out.mean().backward()
print(z.grad)
node = out.grad_fn
print(node.name(), node.next_functions[0][0].name(), node.next_functions[1])
print([way.name().split("::")[-1] for way, _ in node.next_functions[0][0].next_functions])
weights = [torch.ones(3, requires_grad=True) for _ in range(3)]
for weight in weights[:-1]:
    weight.requires_grad = False
total = sum((weight * torch.arange(3)).sum() for weight in weights)
total.backward()
print([weight.grad for weight in weights])
with torch.no_grad():
    print((z * 2).requires_grad)
print(z.detach().requires_grad, (z * 2).is_leaf, z.is_leaf)
v = torch.tensor([0.1, 1.0, 0.0001])
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
y.backward(v)
print(y, x.grad)
