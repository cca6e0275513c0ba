"""Random programs of views and writes, by tensorlab and by PyTorch: a few here, more by command."""

from __future__ import annotations

import random

import pytest

import tensorlab as tl
from tests.library.random_arguments import Constant, Live, Step
from tests.library.random_programs import Divergence, Program, run


@pytest.mark.parametrize("seed", [101, 102, 103, 104])
def test_both_libraries_agree_after_every_step(torch, seed):
    assert run(torch, 250, seed) == 5


def test_a_wrong_number_is_noticed(torch):
    program = Program(torch, random.Random(0))
    program.step()
    program.ours[0] = program.ours[0].clone().fill_(9)
    with pytest.raises(Divergence, match="# x0: ours"):
        program._compare_alive()


def test_memory_that_is_not_shared_is_noticed(torch):
    program = Program(torch, random.Random(0), [tl.zeros(2)], [torch.zeros(2)])
    with pytest.raises(Divergence, match="shares memory with"):
        program._compare_sharing(program.ours[0].clone(), program.theirs[0].view(2))


def test_a_step_reads_as_the_code_that_it_runs(torch):
    index = (Constant("tensor", [1, 0]), slice(None))
    lines = {
        "x0[(torch.tensor([1, 0]), slice(None, None, None))]": Step(Live(0), "[]", (index,)),
        "x1.sum(0, keepdim=True)": Step(Live(1), "sum", (0,), (("keepdim", True),)),
        "torch.cat([x0, x1], 0)": Step(None, "cat", ([Live(0), Live(1)], 0)),
        "x0.unbind(0)[-1]": Step(Live(0), "unbind", (0,), piece=-1),
        "x0.add_(x1.clone())": Step(Live(0), "add_", (Step(Live(1), "clone"),)),
    }
    for text, step in lines.items():
        assert str(step) == text
        x0, x1 = torch.ones(2, 2), torch.zeros(2, 2)
        assert torch.equal(
            step.run(torch, [x0.clone(), x1]), eval(text, {"torch": torch, "x0": x0, "x1": x1})
        )
