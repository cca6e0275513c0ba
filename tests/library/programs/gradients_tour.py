"""Gradients: hooks, functions of one's own, higher derivatives, writes in place, derivatives of functions."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
log = []
y = x * 2
y.retain_grad()
h1 = y.register_hook(lambda g: log.append(("y", g.clone())))
z = y.pow(2).sum()
z.register_hook(lambda g: g * 0.5)
z.backward(retain_graph=True)
print(x.grad, y.grad, log)
h1.remove()
x.grad = None
z.backward()
print(x.grad, len(log), y.retains_grad, x.is_leaf, y.is_leaf)


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp, lo, hi):
        ctx.save_for_backward(inp)
        ctx.lo, ctx.hi = lo, hi
        return inp.clamp(lo, hi)

    @staticmethod
    def backward(ctx, g):
        (inp,) = ctx.saved_tensors
        return g * ((inp >= ctx.lo) & (inp <= ctx.hi)), None, None


a = torch.linspace(-2, 2, 5, requires_grad=True)
out = Clip.apply(a, -1.0, 1.0)
print(out, out.grad_fn.name(), out.grad_fn.next_functions[0][0].variable is a)
out.sum().backward()
print(a.grad)


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        return v.sign()

    @staticmethod
    def backward(ctx, g):
        return g.clone()


b = torch.tensor([-0.3, 0.7], requires_grad=True)
(StraightThrough.apply(b) * torch.tensor([2.0, 3.0])).sum().backward()
print(b.grad, StraightThrough.apply(b))
t = torch.tensor(2.0, requires_grad=True)
f = t**3 + torch.sin(t)
g1 = torch.autograd.grad(f, t, create_graph=True)[0]
g2 = torch.autograd.grad(g1, t, create_graph=True)[0]
g3 = torch.autograd.grad(g2, t)[0]
print(f, g1, g2, g3)
W = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    W2 = W * 2
print(W2.requires_grad, (W * 2).requires_grad, W.detach().requires_grad, torch.is_grad_enabled())
try:
    W.add_(1)
except RuntimeError as err:
    print("RuntimeError", "leaf" in str(err))
v = W * 1
v[0] = 5
v.mul_(3)
v.sum().backward()
print(W.grad, v)
try:
    v.sum().backward()
except RuntimeError as err:
    print("second" in str(err))
p = torch.ones(3, requires_grad=True)
q = p.exp()
q += 1
try:
    q.sum().backward()
except RuntimeError as err:
    print("modified by an inplace operation" in str(err))
m = torch.arange(4.0, requires_grad=True)
s = m.view(2, 2)[1]
s.sum().backward()
print(m.grad, s, s._base is m if s._base is not None else None)
u = torch.zeros(3, requires_grad=True)
torch.max(u, torch.zeros(3)).sum().backward()
print(u.grad)
u.grad = None
torch.amax(u).backward()
print(u.grad)
jac = torch.autograd.functional.jacobian(lambda k: k**2, torch.tensor([1.0, 2.0]))
print(jac, torch.autograd.functional.vjp(lambda k: k.sum() * k, torch.ones(2), torch.ones(2)))
print(
    torch.func.grad(lambda k: (k**3).sum())(torch.tensor([1.0, 2.0])),
    torch.func.vmap(torch.dot)(torch.eye(2), torch.ones(2, 2)),
)
print(torch.autograd.gradcheck(lambda k: k.tanh(), torch.randn(3, dtype=torch.float64, requires_grad=True)))
print([n.name().split("::")[-1] for n, _ in (x * 2 + x.sin()).grad_fn.next_functions])
