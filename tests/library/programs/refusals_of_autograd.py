"""What autograd refuses."""

import torch


def attempt(what, call):
    try:
        print(what, call())
    except Exception as e:
        print(what, type(e).__name__)


x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
y.backward()
attempt("twice", lambda: y.backward())
attempt("no grad", lambda: torch.ones(1).backward())
attempt("vector", lambda: (x * 2).backward())
attempt("shape", lambda: (x * 2).backward(torch.ones(2)))
attempt("leaf in place", lambda: x.add_(1))
attempt("view of leaf", lambda: x[0].fill_(1))
attempt("int grad", lambda: torch.ones(2, dtype=torch.int64, requires_grad=True))
attempt("int set", lambda: torch.ones(2, dtype=torch.int64).requires_grad_())
attempt("flag", lambda: setattr(x * 2, "requires_grad", False))
z = x.exp()
w = (z * 2).sum()
z.add_(1)
attempt("saved", lambda: w.backward())
z = x.exp()
z.add_(1)
attempt("saved result", lambda: z.sum().backward())
attempt("unused", lambda: torch.autograd.grad((x * 2).sum(), torch.ones(2, requires_grad=True)))
attempt(
    "unused ok",
    lambda: torch.autograd.grad((x * 2).sum(), torch.ones(2, requires_grad=True), allow_unused=True),
)
attempt(
    "unused zeros",
    lambda: torch.autograd.grad((x * 2).sum(), torch.ones(2, requires_grad=True), materialize_grads=True),
)
attempt("not tracked", lambda: torch.autograd.grad((x * 2).sum(), torch.ones(2)))
attempt("detach_ view", lambda: (x * 2)[0].detach_())
attempt("numpy", lambda: x.numpy())
attempt("deepcopy", lambda: __import__("copy").deepcopy(x * 2))
attempt("item", lambda: x.item())
attempt("out", lambda: torch.add(x, 1, out=torch.ones(3)))
with torch.inference_mode():
    i = torch.ones(2)
    j = x * 2
attempt("inference grad", lambda: i.requires_grad_())
attempt("inference in graph", lambda: i * x[:2])
attempt("inference in place", lambda: i.add_(1))
attempt("inference version", lambda: i._version)
attempt("inference flags", lambda: (i.is_inference(), j.requires_grad, j.is_inference()))
s = x.unbind(0)
attempt("unbind in place", lambda: (x * 1).unbind(0)[0].add_(1))
attempt("split in place", lambda: (x * 1).split(1)[0].add_(1))
attempt("no_grad view", lambda: no_grad_view())


def no_grad_view():
    with torch.no_grad():
        v = x[:2]
    v.add_(1)


attempt("grad dtype", lambda: setattr(x, "grad", torch.ones(3, dtype=torch.float64)))
attempt("grad shape", lambda: setattr(x, "grad", torch.ones(2)))
attempt("grad type", lambda: setattr(x, "grad", 1))
attempt("batched", lambda: torch.autograd.grad(x * 2, x, torch.eye(3), is_grads_batched=True))
with torch.autograd.set_detect_anomaly(True):
    u = torch.zeros(2, requires_grad=True)
    attempt("anomaly", lambda: (u / u).sqrt().sum().backward())
attempt("bool", lambda: bool(x))
attempt("iter", lambda: list(torch.tensor(1)))
attempt("len", lambda: len(torch.tensor(1)))
attempt("not", lambda: not torch.zeros(0))
attempt("retain", lambda: torch.ones(2).retain_grad())
print(x.grad)
