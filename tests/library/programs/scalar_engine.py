"""An engine of scalars in sixty lines, and the same expressions with tensors."""

import math
import random

import torch


class Value:
    def __init__(self, data, children=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, set(children), lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo, seen = [], set()

        def build(v):
            if v not in seen:
                seen.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

    __radd__, __rmul__ = __add__, __mul__


def neuron(x, w, b):
    total = b
    for xi, wi in zip(x, w):
        total = total + xi * wi
    return total.tanh()


random.seed(5)
numbers = [random.uniform(-1, 1) for _ in range(5)]
x, w, b = [Value(v) for v in numbers[:2]], [Value(v) for v in numbers[2:4]], Value(numbers[4])
o = neuron(x, w, b)
loss = (o + -1.0) * (o + -1.0) * 0.5 + o
loss.backward()
tx = torch.tensor(numbers[:2], dtype=torch.double, requires_grad=True)
tw = torch.tensor(numbers[2:4], dtype=torch.float64)
tw.requires_grad = True
tb = torch.tensor([numbers[4]], dtype=torch.float64)
tb.requires_grad = True
to = neuron(tx, tw, tb)
tloss = (to + -1.0) * (to + -1.0) * 0.5 + to
tloss.backward()
print(f"{loss.data:.6f}", tloss, tloss.item() == tloss.data.item())
print(tx.grad, tw.grad, tb.grad)
pairs = zip([*x, *w, b], [*tx.grad, *tw.grad, *tb.grad])
print([abs(v.grad - t.item()) < 1e-12 for v, t in pairs])
a = torch.tensor([3.0], requires_grad=True)
c = a + a
c.backward()
print(a.grad, c, (a * a + 1).relu() / 2)
