"""The Tape Player: both sides read the same programs and leave the same tape."""

from __future__ import annotations

import json
import math
import random
import re

import pytest

import tensorlab as tl
from tensorlab.figures.layers import placed
from tensorlab.widgets import TapePlayer
from tensorlab.widgets.tape_player.program import METHODS, WRITES, parse, run
from tensorlab.widgets.tape_player.record import _numbers, record
from tensorlab.widgets.tape_player.widget import PRESETS
from tests.widgets.tape_programs import LEAVES, PLAYED, REFUSED, WRITTEN, leaf, random_program, random_writes

FOLDER = "tape_player/"
RANDOM = 300


def tensors(leaves=LEAVES):
    return {
        name: tl.tensor(own["data"], dtype=tl.float64)
        .view(tuple(own["shape"]))
        .clone()
        .requires_grad_(own["grad"])
        for name, own in leaves.items()
    }


def near(one, other, relative=1e-12):
    """Whether two plain values are the same, numbers up to rounding."""
    if isinstance(one, dict):
        return one.keys() <= other.keys() and all(near(one[key], other[key], relative) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(near(a, b, relative) for a, b in zip(one, other, strict=True))
    if one in ("NaN", "Infinity", "-Infinity"):
        return other is None  # so node's JSON writes what is no finite number
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=relative, abs_tol=1e-14)
    return one == other


def recorded(source):
    leaves = tensors()
    program = parse(source, list(leaves))
    results = run(program, leaves)
    return program, results, record(results[-1], leaves)


@pytest.fixture(scope="module")
def found(call_js):
    """What the page's engine says of each program."""
    sources = PLAYED + WRITTEN + REFUSED
    calls = [[FOLDER + "engine.js", "tapeFor", source, LEAVES] for source in sources]
    return dict(zip(sources, call_js(calls), strict=True))


@pytest.mark.parametrize("source", PLAYED)
def test_the_way_back_of_a_program_without_writes_has_no_error(found, source):
    assert found[source]["tape"]["error"] is None


def the_pages_tape_is_the_librarys(source, page):
    """Compare a program with writes; the library's error, or None."""
    leaves = tensors()
    program = parse(source, list(leaves))
    assert near([step._asdict() for step in program.steps], page["program"]["steps"]), source
    result = run(program, leaves)[-1]
    tape, graph = page["tape"], tl.autograd.graph(result)
    for ours, node in zip(graph.nodes, tape["nodes"], strict=False):
        assert (ours.name, list(ours.shape)) == (node["name"], node["shape"]), source
        known = [(e.name, list(e.shape), e.nbytes, e.owner, e.storage) for e in ours.saved]
        names = ("name", "shape", "nbytes", "owner", "storage")
        assert known == [tuple(e[name] for name in names) for e in node["saved"]], source
    edges = [(edge.source, edge.target, list(edge.summed)) for edge in graph.edges]
    assert edges == [(e["source"], e["target"], e["summed"]) for e in tape["edges"]], source
    reason = None
    try:
        result.backward()
    except RuntimeError as error:
        reason = str(error)
    assert (tape["error"] and tape["error"]["text"]) == reason, source
    after = {node["leaf"]: node["gradient"] for node in tape["nodes"] if node["leaf"] is not None}
    for name in program.leaves:
        grad = leaves[name].grad
        known = None if grad is None else _numbers(grad)
        assert near(known, after[name], 1e-9), (source, name)
    return tape["error"]


def test_a_tape_with_writes_is_the_librarys(found):
    errors = [the_pages_tape_is_the_librarys(source, found[source]) for source in WRITTEN]
    assert len(WRITTEN) // 3 < sum(error is not None for error in errors) < len(WRITTEN)


def test_random_writes_leave_the_same_tape(call_js):
    sources = [random_writes(random.Random(seed)) for seed in range(RANDOM)]
    errors = []
    for source, page in zip(
        sources,
        call_js([[FOLDER + "engine.js", "tapeFor", source, LEAVES] for source in sources]),
        strict=True,
    ):
        reason = refusal_of(source)
        if reason is not None:
            assert page == {"refusal": reason}, source
        else:
            errors.append(the_pages_tape_is_the_librarys(source, page))
    assert len(errors) > RANDOM // 2
    assert len(errors) // 4 < sum(error is not None for error in errors) < len(errors)


@pytest.mark.parametrize("source", PLAYED)
def test_both_sides_read_the_same_program(found, source):
    program, _, _ = recorded(source)
    steps = [step._asdict() for step in program.steps]
    assert near({"steps": steps, "leaves": program.leaves}, found[source]["program"])


@pytest.mark.parametrize("source", PLAYED)
def test_values_are_the_librarys(found, source):
    program, results, _ = recorded(source)
    tape = found[source]["tape"]
    for number, result in zip(tape["made"], results, strict=True):
        node = tape["nodes"][number]
        assert node["shape"] == list(result.shape)
        assert near(node["value"], [float(value) for value in result.detach().reshape(-1).tolist()])
    assert len(tape["made"]) == len(program.steps)


@pytest.mark.parametrize("source", PLAYED)
def test_the_tape_is_the_one_that_the_library_leaves(found, source):
    _, _, known = recorded(source)
    tape = found[source]["tape"]
    for ours, page in zip(known["nodes"], tape["nodes"], strict=False):
        for name in ("name", "leaf", "shape", "saved", "gradient"):
            assert near(ours[name], page[name]), (ours["name"], name)
    assert all(node["name"] is None for node in tape["nodes"][len(known["nodes"]) :])
    assert near(known["edges"], tape["edges"])


@pytest.mark.parametrize("source", PLAYED)
def test_the_tape_has_the_numbers_of_the_graph(source):
    _, results, tape = recorded(source)
    graph = tl.autograd.graph(results[-1])
    assert [node["name"] for node in tape["nodes"]] == [node.name for node in graph.nodes]
    for edge, plain in zip(graph.edges, tape["edges"], strict=True):
        assert (edge.source, edge.target, list(edge.summed)) == (
            plain["source"],
            plain["target"],
            plain["summed"],
        )


def test_all_operations_are_played():
    played = {step.op for source in PLAYED for step in recorded(source)[0].steps}
    played |= {step.op for source in WRITTEN for step in parse(source, list(LEAVES)).steps}
    assert played == {*METHODS, *WRITES, "add", "sub", "mul", "div", "reciprocal", "neg", "matmul", "T"}


@pytest.mark.parametrize("source", REFUSED)
def test_both_sides_refuse_in_the_same_words(found, source):
    with pytest.raises((ValueError, IndexError, RuntimeError)) as refused:
        TapePlayer(source, **tensors(), fixed=["d"])
    assert found[source] == {"refusal": str(refused.value)}


def refusal_of(source):
    """The library's reason not to play a program; None if it plays."""
    try:
        TapePlayer(source, **tensors(), fixed=["d"])
    except (ValueError, IndexError, RuntimeError) as refused:
        return str(refused)
    return None


def test_random_programs_leave_the_same_tape(call_js):
    sources = [random_program(random.Random(seed)) for seed in range(RANDOM)]
    played = 0
    for source, page in zip(
        sources,
        call_js([[FOLDER + "engine.js", "tapeFor", source, LEAVES] for source in sources]),
        strict=True,
    ):
        reason = refusal_of(source)
        if reason is not None:
            assert page == {"refusal": reason}, source
            continue
        _, _, known = recorded(source)
        assert "refusal" not in page, source
        for ours, node in zip(known["nodes"], page["tape"]["nodes"], strict=False):
            for name in ("name", "leaf", "shape", "saved", "gradient"):
                assert near(ours[name], node[name], 1e-9), (source, ours["name"], name)
        assert near(known["edges"], page["tape"]["edges"], 1e-9), source
        played += 1
    assert RANDOM // 5 < played < RANDOM


def test_finite_differences_agree_with_the_gradients(call_js, found):
    smooth = [source for source in PLAYED if "detach" not in source]
    calls = [
        [FOLDER + "differences.js", "differences", found[source]["program"], LEAVES, name]
        for source in smooth
        for name in LEAVES
    ]
    estimates = iter(call_js(calls))
    for source in smooth:
        gradients = {node["leaf"]: node["gradient"] for node in found[source]["tape"]["nodes"]}
        for name in LEAVES:
            estimate = next(estimates)
            if gradients.get(name) is not None and "abs" not in source:
                assert near(gradients[name], estimate, relative=1e-6), (source, name)


# ---- steps


def steps_of(call_js, tape):
    (steps,) = call_js([[FOLDER + "steps.js", "stepsOf", tape]])
    return steps


@pytest.mark.parametrize("source", PLAYED[:8])
def test_the_steps_compute_first_and_then_go_back(call_js, found, source):
    tape = found[source]["tape"]
    steps = steps_of(call_js, tape)
    kinds = [step["kind"] for step in steps]
    count = kinds.count("compute")
    assert kinds[: count + 1] == ["compute"] * count + ["seed"]
    assert [step["node"] for step in steps[:count]] == tape["made"]
    back = [step["node"] for step in steps[count + 1 :] if step["kind"] in ("run", "store")]
    assert back == sorted(back)
    assert sorted(step["edge"] for step in steps if step["kind"] == "hand") == list(range(len(tape["edges"])))


def test_a_node_runs_when_all_its_gradients_have_arrived(call_js, found):
    for source in PLAYED:
        tape = found[source]["tape"]
        (waits,) = call_js([[FOLDER + "steps.js", "waitsOf", tape]])
        arrived = [0] * len(waits)
        for step in steps_of(call_js, tape):
            if step["kind"] == "seed":
                arrived[0] += 1
            elif step["kind"] == "hand":
                arrived[tape["edges"][step["edge"]]["target"]] += 1
            elif step["kind"] != "compute":
                assert arrived[step["node"]] == waits[step["node"]], (source, step)


def test_gradients_add_up_and_what_is_kept_goes(call_js, found):
    for source in PLAYED[:10]:
        tape = found[source]["tape"]
        steps = steps_of(call_js, tape)
        calls = [[FOLDER + "steps.js", "momentOf", tape, steps, at] for at in range(len(steps) + 1)]
        moments = call_js(calls)
        for node, total in zip(tape["nodes"], moments[-1]["sums"], strict=True):
            assert node["gradient"] is None or near(node["gradient"], total)
        _, results, _ = recorded(source)
        forward = sum(step["kind"] == "compute" for step in steps)
        assert moments[forward]["kept"] == tl.autograd.saved(results[-1]).nbytes
        assert moments[-1]["kept"] == 0


def test_ribbons_hold_what_the_library_keeps(call_js, found):
    """From the step that makes a node to the one in which it runs; those held are the meter's bytes."""
    for source in PLAYED[:10]:
        tape = found[source]["tape"]
        steps = steps_of(call_js, tape)
        (ribbons,) = call_js([[FOLDER + "steps.js", "ribbonsOf", tape, steps]])
        _, results, _ = recorded(source)
        kept = tl.autograd.saved(results[-1])
        alone = [ribbon["entry"] for ribbon in ribbons if ribbon["alone"]]
        assert sum(entry["nbytes"] for entry in alone) == kept.nbytes
        for ribbon in ribbons:
            assert steps[ribbon["from"] - 1] == {"kind": "compute", "node": ribbon["node"]}
            last = {"kind": "run", "node": ribbon["node"]}
            assert steps[ribbon["to"] - 1] == last
        calls = [[FOLDER + "steps.js", "momentOf", tape, steps, at] for at in range(len(steps) + 1)]
        for at, moment in enumerate(call_js(calls)):
            held = [ribbon["entry"] for ribbon in ribbons if ribbon["from"] <= at < ribbon["to"]]
            storages = {entry["storage"]: entry["nbytes"] for entry in held if entry["owner"] != "leaf"}
            assert moment["kept"] == sum(storages.values())


def test_an_error_ends_the_way_and_the_graph_keeps_what_it_holds(call_js, found):
    tape = found[WRITTEN[0]]["tape"]
    steps = steps_of(call_js, tape)
    assert steps[-1] == {"kind": "fail", "node": tape["error"]["node"]}
    assert not any(step["kind"] == "store" for step in steps)
    assert tape["nodes"][tape["error"]["writer"]]["label"] == "h *= 2"
    (moment,) = call_js([[FOLDER + "steps.js", "momentOf", tape, steps, len(steps)]])
    (ribbon,) = call_js([[FOLDER + "steps.js", "ribbonsOf", tape, steps]])[0]
    assert moment["kept"] == ribbon["entry"]["nbytes"] == 48
    assert ribbon["to"] > len(steps)


def test_a_ribbon_in_words(call_js, found):
    tape = found[PLAYED[0]]["tape"]
    (ribbons,) = call_js([[FOLDER + "steps.js", "ribbonsOf", tape, steps_of(call_js, tape)]])
    said = call_js(
        [
            [FOLDER + "words.js", "ribbonWords", ribbon, tape["nodes"], state]
            for ribbon in ribbons
            for state in ("coming", "held", "freed")
        ]
    )
    assert [words.rpartition("; ")[2] for words in said[:3]] == [
        "the node is not made yet",
        "the node keeps it",
        "the node has let it go",
    ]


# ---- the question


def offered(call_js, source, name, leaves=LEAVES):
    program = parse(source, list(leaves))
    steps = [step._asdict() for step in program.steps]
    (found,) = call_js(
        [[FOLDER + "mistakes.js", "candidates", {"steps": steps, "leaves": program.leaves}, leaves, name]]
    )
    return {one["kind"]: one["gradient"] for one in found}


def test_the_right_candidate_is_the_librarys_gradient(call_js):
    for source in PLAYED[:12]:
        leaves = tensors()
        program = parse(source, list(leaves))
        run(program, leaves)[-1].backward()
        for name in program.leaves:
            right = offered(call_js, source, name)["right"]
            known = leaves[name].grad
            assert (right is None) == (known is None)
            assert known is None or near(right["data"], [float(one) for one in known.reshape(-1).tolist()])


@pytest.mark.parametrize(
    ("source", "name", "kind", "shape", "first"),
    [
        ("(x * w + b).sum()", "b", "unsummed", [2, 3], 1.0),
        ("(x * w + b).sum()", "b", "mean", [], 1.0),
        ("(w * w).sum()", "w", "overwrite", [3], 0.1),
        ("(w * w).sum()", "w", "right", [3], 0.2),
        ("h = b * b; h * h * 3 + h", "b", "first", [], 0.5),
        ("w.exp().sum()", "w", "input", [3], 0.1),
        ("(w.exp() * 2).sum()", "w", "chain", [3], math.exp(0.1)),
        ("(w.detach() * w).sum()", "w", "through", [3], 0.2),
        ("(w.detach() * b).sum()", "w", "zeros", [3], 0.0),
        ("w.sum()", "w", "value", [3], 0.1),
        ("h = w.exp(); h *= 2; h.sum()", "w", "old", [3], 2 * math.exp(0.1)),
        ("h = w.exp(); h *= 2; h.sum()", "w", "written", [3], 4 * math.exp(0.1)),
    ],
)
def test_each_mistake_gives_its_gradient(call_js, source, name, kind, shape, first):
    gradient = offered(call_js, source, name)[kind]
    assert (gradient["shape"], gradient["data"][0]) == (shape, pytest.approx(first))


def test_an_error_is_offered_where_something_is_written(call_js):
    assert offered(call_js, "h = w.exp(); h *= 2; h.sum()", "w")["right"] == "error"
    fine = offered(call_js, "h = w.sin(); h *= 2; h.sum()", "w")
    assert fine["error"] == "error"
    assert fine["right"]["data"][0] == pytest.approx(2 * math.cos(0.1))
    assert "error" not in offered(call_js, "(w * w).sum()", "w")


def test_candidates_differ_and_stand_in_an_order_that_says_nothing(call_js):
    places = set()
    for source in PLAYED:
        for name in parse(source, list(LEAVES)).leaves:
            found = offered(call_js, source, name)
            places.add(list(found).index("right"))
            assert 2 <= len(found) <= 4
            assert len({json.dumps(gradient) for gradient in found.values()}) == len(found)
    assert places == {0, 1, 2, 3}


def test_every_wrong_candidate_is_explained(call_js):
    (kinds,) = call_js([[FOLDER + "mistakes.js", "kindNames"]])
    for kind in kinds:
        if kind != "right":
            (said,) = call_js([[FOLDER + "mistakes.js", "explained", kind]])
            assert len(said) > 20
        TapePlayer().change(guess=kind)


# ---- the picture and the words


def test_places_are_those_of_the_drawings(call_js):
    cases = []
    for seed in range(40):
        dice = random.Random(seed)
        count = dice.randrange(1, 14)
        edges = [(a, b) for a in range(count) for b in range(a + 1, count) if dice.random() < 0.25]
        cases.append(([(dice.uniform(20, 120), dice.uniform(20, 60)) for _ in range(count)], edges))
    calls = [[FOLDER + "layers.js", "placed", sizes, edges, [20, 30]] for sizes, edges in cases]
    for (sizes, edges), page in zip(cases, call_js(calls), strict=True):
        ours = placed(sizes, edges, (20, 30))
        assert near(
            [[place.x, place.y] for place in ours.places],
            [[one["x"], one["y"]] for one in page["places"]],
            1e-9,
        )
        assert near([[list(point) for point in route] for route in ours.routes], page["routes"], 1e-9)
        assert near([ours.width, ours.height], [page["width"], page["height"]], 1e-9)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-0.25, "-0.25"),
        (1 / 3, "0.3333"),
        (1e-9, "1e-9"),
        (123456.0, "1.23e5"),
    ],
)
def test_numbers_are_short(call_js, number, text):
    assert call_js([[FOLDER + "words.js", "short", number]]) == [text]


def test_a_step_says_what_happens(call_js, found):
    tape = found["(x * w + b).tanh().sum()"]["tape"]
    steps = steps_of(call_js, tape)
    (waits,) = call_js([[FOLDER + "steps.js", "waitsOf", tape]])

    (story,) = call_js([[FOLDER + "words.js", "storyOf", tape, steps, waits]])

    def node_of(step):
        number = tape["edges"][step["edge"]]["target"] if step["kind"] == "hand" else step["node"]
        return tape["nodes"][number]

    def said(kind, label):
        wanted = [step["kind"] == kind and node_of(step)["label"] == label for step in steps]
        return story[wanted.index(True)]

    assert said("compute", "x * w").endswith(
        "MulBackward0 is born. The result has shape (2, 3). The node keeps w and x."
    )
    assert "over dimension 0." in said("hand", "w")
    assert "has (): what was stretched is summed, over dimensions 0 and 1." in said("hand", "b")
    assert said("run", ".tanh()").endswith("Then it lets go of result.")
    assert said("store", "w") == "AccumulateGrad writes w.grad. A leaf's gradient stays there."


def test_the_python_lines_do_the_same(call_js):
    player = TapePlayer("h = x * w; z = (h / 2 + h).sum()", x=[[1, -2], [3, 4]], w=0.5, fixed=["x"])
    (lines,) = call_js([[FOLDER + "words.js", "pythonLines", player.state["source"], player.state["leaves"]]])
    scope = {"tl": tl}
    exec(lines, scope)
    assert scope["w"].grad.item() == player.gradients["w"].item()
    assert scope["x"].grad is None
    (lines,) = call_js([[FOLDER + "words.js", "pythonLines", "x * x", {"x": leaf(3.0)}]])
    exec(lines, scope)
    assert scope["x"].grad.item() == 6


def test_a_state_stands_in_an_address_and_comes_back(call_js):
    player = TapePlayer("h = x / w\nz = h.sum()", x=[[1, -2.5]], w=1e-7, fixed=["x"], ask="w")
    player.change(told=True, guess="right", step=3)
    (text,) = call_js([[FOLDER + "state.js", "addressOf", player.state]])
    assert "h = x ÷ w" in text
    assert "x(1,2)1,-2.5!~w()1e-7" in text
    (back,) = call_js([[FOLDER + "state.js", "fromAddress", text]])
    # The question and the moment; what somebody answered stays out of a link.
    asked = {name: player.state[name] for name in ("source", "leaves", "ask", "step")}
    assert back == {"changes": asked}


@pytest.mark.parametrize(
    "own", [{"shape": [2], "data": [1.0]}, {"shape": [0], "data": []}, {"shape": [65], "data": [1.0] * 65}]
)
def test_both_sides_refuse_a_leaf_in_the_same_words(call_js, own):
    state = {**TapePlayer().state, "source": "x.sum()", "leaves": {"x": {**own, "grad": True}}}
    (page,) = call_js([[FOLDER + "state.js", "check", state]])
    with pytest.raises(ValueError, match="a leaf has 1 … 64") as refused:
        TapePlayer.checked(state)
    assert page == {"refusal": str(refused.value)}


# ---- the Python side


def test_the_python_side_runs_the_library():
    player = TapePlayer("h = x * w; z = h * h + h", x=2, w=3, fixed=["x"])
    assert player.result.item() == 42
    assert player.gradients["x"] is None
    assert player.gradients["w"].item() == 26
    player.change(leaves={**player.state["leaves"], "w": leaf(1.0)})
    assert player.gradients["w"].item() == 10
    assert [node.name for node in player.graph.nodes][:2] == ["AddBackward0", "MulBackward0"]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"source": "x + "}, ValueError, "“x +” cannot be read"),
        ({"source": "x"}, ValueError, "every operation has to lead to the result"),
        ({"leaves": {"x": {"shape": [2], "data": [1.0], "grad": True}}}, ValueError, "given are 1"),
        ({"leaves": {"x": {"shape": [], "data": [math.inf], "grad": True}}}, ValueError, "a finite number"),
        ({"leaves": {"a b": leaf(1.0)}}, ValueError, "one that a variable can have"),
        ({"guess": "perhaps"}, ValueError, "a guess is one of right"),
        ({"ask": "q"}, ValueError, "ask names 'q', and the leaves are x, w, b"),
        ({"step": -1}, ValueError, "a step is 0 or more"),
        ({"step": "x"}, TypeError, "step must be an integer"),
    ],
)
def test_nonsense_never_arrives(change, error, reason):
    player = TapePlayer()
    before = dict(player.state)
    with pytest.raises(error, match=re.escape(reason)):
        player.change(**change)
    with pytest.raises(error, match=re.escape(reason)):
        player.set_state({"state": {**player.state, **change}})
    assert player.state == before


def test_a_recorded_graph_is_played_and_left_as_it_was():
    w = tl.tensor([2.0, 3.0], requires_grad=True)
    kept = w.exp()
    y = (kept * w).softmax(0).sum()
    before = tl.autograd.saved(y)
    player = TapePlayer(y, w=w)
    assert [node["label"] for node in player.tape["nodes"]] == ["sum", "softmax", "mul", "exp", "w"]
    assert w.grad is None
    assert repr(tl.autograd.saved(y)) == repr(before)
    y.backward()
    assert near(player.tape["nodes"][-1]["gradient"], [float(one) for one in w.grad.tolist()])
    assert "softmax" in player.text_twin()
    with pytest.raises(ValueError, match="has no program"):
        _ = player.gradients


def test_a_recorded_graph_that_cannot_be_shown_is_refused():
    w = tl.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="nothing to go back to"):
        TapePlayer(w.detach().sum())
    with pytest.raises(ValueError, match=r"shape \(2,\); end with .sum\(\)"):
        TapePlayer(w * 2)
    with pytest.raises(ValueError, match="UnbindBackward0 has several results"):
        TapePlayer(w.unbind()[0] * 2)
    long = w
    for _ in range(40):
        long = long * 2
    with pytest.raises(ValueError, match="up to 32 nodes are shown; this graph has 42"):
        TapePlayer(long.sum())
    with pytest.raises(ValueError, match="tensors of up to 64 elements"):
        TapePlayer(tl.ones(100, requires_grad=True).sum())
    with pytest.raises(TypeError, match="w is to name a leaf of the graph"):
        TapePlayer(w.sum(), w=3)


def test_the_text_twin_says_the_error():
    twin = TapePlayer("h = x.exp(); h *= 2; z = h.sum()", x=2).text_twin()
    assert "backward() raises an error: one of the variables needed" in twin.split("</summary>")[1]


def test_presets_are_chosen():
    assert TapePlayer().presets == list(PRESETS)
    assert TapePlayer(presets=["overwritten"]).presets == ["overwritten"]
    assert TapePlayer(tl.ones((), requires_grad=True) * 2).presets == []


def test_the_text_twin_folds_the_answer():
    before, after = TapePlayer("h = x * w; z = h * h + h", x=2, w=3).text_twin().split("</summary>")
    assert "39" not in before
    assert "(): 39" in after
