"""Programs that the Tape Player's two sides are compared on."""

from __future__ import annotations

import random
from typing import Any

import tensorlab as tl


def leaf(value: Any, grad: bool = True) -> dict[str, Any]:
    tensor = tl.tensor(value, dtype=tl.float64)
    return {"shape": list(tensor.shape), "data": tensor.reshape(-1).tolist(), "grad": grad}


LEAVES = {
    "x": leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "w": leaf([0.1, 0.2, 0.3]),
    "b": leaf(0.5),
    "d": leaf([1.0, -2.0, 3.0], grad=False),
    "v": leaf([0.3, 0.4]),
    "c": leaf([[0.5], [2.0]]),
}

PLAYED = [
    "(x * w + b).tanh().sum()",
    "h = x * w; z = (h * h + h).sum()",
    "h = x * w\nz = h.exp()\n(z / 2).sum()",
    "(x / d).sum()",
    "(d / w).mean()",
    "(2 / w).sum()",
    "(w / 2 - 1).sum()",
    "(2 - w).sum()",
    "(w - b).square().mean()",
    "-(-w).sum()",
    "x.sum()",
    "x.mean(0).sum()",
    "x.mean((0, 1))",
    "x.sum(()).sum()",
    "x.sum(1, keepdim=True).square().sum()",
    "(x - x.mean(1, keepdim=True)).square().mean()",
    "(x @ w).sigmoid().sum()",
    "(x @ x.t()).mean()",
    "w @ w",
    "w @ d",
    "d @ w",
    "(x.T @ v).exp().sum()",
    "(x.t() @ v).sum(0)",
    "x.view(3, 2).square().sum()",
    "x.view(-1).sum()",
    "x.t().clone().sum()",
    "x.t().t().view(6).sum()",
    "(x.view(3, 2) + v).view(6).sum()",
    "w.view(-1, 3).t().sum()",
    "w.expand(2, 3).square().sum()",
    "b.expand(2, 3).sum()",
    "x.unsqueeze(0).squeeze(0).sum(1).sum()",
    "c.squeeze().sum() * c.squeeze(1).sum() * c.squeeze(0).sum()",
    "x.transpose(0, 1).mean((0, 1))",
    "(c * w).sum()",
    "(x + c).relu().sum()",
    "(x - 3).abs().relu().sum()",
    "(w.detach() * w).sum()",
    "(w.exp().detach() * w).sum()",
    "((d * 2) * w).sum()",
    "(w ** 3).sum()",
    "(w ** 0).sum()",
    "(w ** -1).sum()",
    "w.pow(0.5).sum()",
    "(x + 1).log().sqrt().sin().cos().abs().sum()",
    "(x.exp() * x.exp()).sum()",
    "e = x.exp(); (e * e).sum()",
    "e = w.exp(); (e * w.exp() + e).sum()",
    "(w * w * w).sum()",
    "(w + w).sum()",
    "b * b",
    "b.sum(0)",
    "b.view(1).sum()",
]

WRITTEN = [  # what a node keeps is overwritten in some of them
    "h = x.exp(); h *= 2; z = h.sum()",
    "h = x.sin(); h *= 2; z = h.sum()",
    "h = x.exp(); h += b; z = (h + 1).sum()",
    "h = x.exp(); h -= 1; (h + b).sum()",
    "h = x * w; y = h * h; h += 1; (y + h).sum()",
    "h = w.exp(); y = h * h; h *= 2; h += 1; (y + h).sum()",
    "h = x * w; h *= c; h.sum()",
    "h = x * w; h *= h; h.sum()",
    "h = w * w; h /= w; h.sum()",
    "h = w / 2; h /= b; h -= w; h.sum()",
    "h = d * 2; h *= w; h.sum()",
    "h = d * 2; y = h * w; h += 1; (y * h).sum()",
    "h = d * 2; y = h * w; h += w; (y * h).sum()",
    "h = x @ w; h += 1; y = h @ h; h *= 2; y + h.sum()",
    "h = x @ v.view(2, 1).expand(2, 3).t(); h *= 3; h.sum()",
    "h = w * 2; h += h; h.sum()",
    "h = w.exp(); h += h * h; h.sum()",
    "h = w.exp(); g = h; g *= 2; (g + h).sum()",
    "h = (x.t() * 2).tanh(); h *= 0.5; h.t().view(6).sum()",
    "h = w.exp(); h *= 0; h.view(3, 1).sum()",
    "h = w.square(); y = h.sqrt(); h += 1; (h * y).sum()",
    "h = w.exp(); y = h.log(); h /= 2; (h * y).sum()",
    "h = w.sigmoid(); y = h / w; h -= y; h.sum()",
    "h = w.sum(); h *= 2",
    "h = w.sum(); h -= h.exp()",
]

REFUSED = [
    "x += 1; x.sum()",
    "d *= 2; (d * w).sum()",
    "q += 1",
    "h = w * 2; h += x; h.sum()",
    "h = b * 2; h += w; h.sum()",
    "h = w * 2; v = h.view(3, 1); h += 1; (h + v).sum()",
    "h = w * 2; y = h.t(); y += 1; (h + y).sum()",
    "y = w.view(3, 1); y += 1; y.sum()",
    "y = w.detach(); y *= 2; (y * w).sum()",
    "h = w * 2; h **= 2; h.sum()",
    "h = w * 2; h @= w; h.sum()",
    "h = w * 2; h + = 1; h.sum()",
    "h = w * 2; h += ",
    "h = w * 2; h += 1 = 2; h.sum()",
    "True += 1; w.sum()",
    "h = w * 2; h.t() += 1; h.sum()",
    "h = w * 2; w.exp() += h; h.sum()",
    "h = w * 2; h += q; h.sum()",
    "h = w * 2; h *= 2; y = h * 3; h.sum()",
    "",
    "  ;  ",
    "b",
    "x + v",
    "x * w",
    "v @ x",
    "x @ v",
    "x @ 2",
    "2 ** x",
    "x ** w",
    "2 * 3",
    "w.view(4)",
    "x.t().view(6).sum()",
    "(x.t() * 2).view(6).sum()",
    "x.t().exp().view(6).sum()",
    "(w.view(3, 1) * x.t()).view(6).sum()",
    "x.sum(3)",
    "x.sum((0, 0))",
    "x.expand(3, 3)",
    "x.unsqueeze(7).sum()",
    "x.transpose(0, 3).sum()",
    "x.unsqueeze(0).t().sum()",
    "w.expand(30, 3).sum()",
    "d.sum()",
    "(d * d).sum()",
    "q * 2",
    "x.foo()",
    "x.exp(1)",
    "x.sum(keepdim=True)",
    "x.sum(0.5)",
    "x.sum(True)",
    "x.sum(dim=0, foo=1)",
    "x.sum(dim=0, dim=1)",
    "x.view()",
    "x.view(2, 2.0)",
    "x.transpose(0)",
    "x.unsqueeze()",
    "x.pow(w)",
    "x.pow(True)",
    "(2).exp()",
    "x +",
    "x ? 2",
    "(x",
    "x)",
    "x..exp()",
    "x[0]",
    "lambda: x",
    "x if x else x",
    "+x",
    "x == w",
    "x // w",
    "x, w",
    "True * x",
    "x.exp",
    "a = b = x * 2",
    "x = 3",
    "x.exp(); x.log()",
    "a = x * 2; c2 = x * 3; a.sum()",
    "x * 007",
    "x * 1_000",
    "x # two",
    "x.exp(*w)",
    "x" + " * 2" * 30,
    "x" + " * 2" * 300,
    "1if x else 2",
    "2 (x)",
]


CURVES = ["tanh()", "sigmoid()", "sin()", "cos()", "exp()", "square()", "relu()", "abs()", "clone()"]
VIEWS = ["t()", "T", "detach()", "view(-1)", "unsqueeze(0)", "squeeze()", "view(3, 2)"]
SUMS = ["sum()", "mean()", "sum(0)", "mean(-1)", "sum(0, keepdim=True)", "mean(1, True)"]


def random_writes(dice: random.Random) -> str:
    """Results that are computed from one another and overwritten, all of which lead to the last line."""
    names = ["r0", "r1"]
    lines = [f"r0 = {dice.choice(['w * w', 'w.exp()', 'd * 2', 'x.sin()'])}"]
    lines += [f"r1 = {dice.choice(['r0.tanh()', 'r0 * r0', 'r0 / w', 'r0 + b', 'r0.sqrt()'])}"]
    for number in range(2, 2 + dice.randrange(1, 5)):
        if dice.random() < 0.6:
            lines.append(
                f"{dice.choice(names)} {dice.choice('+-*/')}= {dice.choice([*names, 'w', 'b', '2'])}"
            )
        else:
            lines.append(
                f"r{number} = {dice.choice(names)}.{dice.choice(['exp()', 'cos()', 'square()', 'relu()'])}"
            )
            names.append(f"r{number}")
    return "; ".join([*lines, " + ".join(f"{name}.sum()" for name in names)])


def random_program(dice: random.Random) -> str:
    """A few lines that use names again and again; some of them are refused."""
    names = list(LEAVES)
    lines = []
    for number in range(dice.randrange(1, 7)):
        one, other = dice.choice(names), dice.choice(names)
        method = dice.choice([*CURVES, *VIEWS, *SUMS])
        operations = [
            f"{one} {dice.choice('+-*/')} {other}",
            f"{one} * {dice.choice(['2', '-0.5', '3'])} - {other}",
            f"{one}.{method}",
            f"{one}.{method}",
            f"{one} @ {other}",
            f"-{one}",
        ]
        lines.append(f"r{number} = {dice.choice(operations)}")
        names += [f"r{number}"] * 2
    unused = [
        f"r{number}" for number in range(len(lines)) if sum(f"r{number}" in line for line in lines) == 1
    ]
    return "; ".join([*lines, " + ".join(f"{name}.sum()" for name in unused)])
