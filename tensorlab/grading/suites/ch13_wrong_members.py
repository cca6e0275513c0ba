"""Chapter 13, what a network owns: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "13.named_members",
    belief="The name of a parameter is the name that its module gave it.",
    lesson="Every layer has a weight. The name begins with the child's name and a point, or two "
    "layers clash.",
)
def leaves_out_the_path(own, children):
    found = {id(member): (name, member) for name, member in own if member is not None}
    for _, (members, inside) in children:
        for name, member in leaves_out_the_path(members, inside):
            found.setdefault(id(member), (name, member))
    return list(found.values())


@solutions.wrong(
    "13.named_members",
    belief="A network is a list of layers, so one loop over its children is enough.",
    lesson="A child may hold children of its own. The function has to call itself.",
)
def looks_one_level_deep(own, children):
    found = {}
    for name, member in own:
        if member is not None:
            found.setdefault(id(member), (name, member))
    for child, (members, _) in children:
        for name, member in members:
            if member is not None:
                found.setdefault(id(member), (f"{child}.{name}", member))
    return list(found.values())


@solutions.wrong(
    "13.named_members",
    belief="Every name stands for a parameter, so every name belongs into the list.",
    lesson="A parameter that two modules share is one object. Listed twice, it would be moved twice at each "
    "step.",
)
def lists_a_shared_one_twice(own, children):
    found = [(name, member) for name, member in own if member is not None]
    for child, (members, inside) in children:
        found += [(f"{child}.{name}", m) for name, m in lists_a_shared_one_twice(members, inside)]
    return found


@solutions.wrong(
    "13.named_members",
    belief="A dict by identity removes what is shared; which of the names stays does not matter.",
    lesson="The first name stays. A file of saved weights is read by these names.",
)
def keeps_the_last_name(own, children):
    found = {}

    def walk(own, children, path):
        for name, member in own:
            if member is not None:
                found[id(member)] = (path + name, member)
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")

    walk(own, children, "")
    return list(found.values())


@solutions.wrong(
    "13.named_members",
    belief="Tensors with the same numbers are the same parameter.",
    lesson="Two layers that both begin with zeros are two layers. One object is told from another by `is`.",
)
def compares_the_numbers(own, children):
    found = []

    def walk(own, children, path):
        for name, member in own:
            values = None if member is None else member.tolist()
            if member is not None and all(values != other.tolist() for _, other in found):
                found.append((path + name, member))
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")

    walk(own, children, "")
    return found


@solutions.wrong(
    "13.named_members",
    belief="What shares memory is the same parameter, so data_ptr tells.",
    lesson="Two tensors over one storage are two objects, and each may get a gradient of its own.",
)
def compares_addresses(own, children):
    found = {}

    def walk(own, children, path):
        for name, member in own:
            if member is not None:
                found.setdefault(member.data_ptr(), (path + name, member))
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")

    walk(own, children, "")
    return list(found.values())


@solutions.wrong(
    "13.named_members",
    belief="`in` asks whether an object is in a list.",
    lesson="`in` asks with ==, and == of two tensors compares their elements. Ask for identities: keep "
    "id(parameter) in a set.",
)
def asks_with_in(own, children):
    found, seen = [], []

    def walk(own, children, path):
        for name, member in own:
            if member is not None and member not in seen:
                seen.append(member)
                found.append((path + name, member))
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")

    walk(own, children, "")
    return found


@solutions.wrong(
    "13.named_members",
    belief="A module's list of names is the list of what it owns.",
    lesson="A layer without a bias keeps the name and None under it. None has no gradient and cannot "
    "be moved.",
)
def keeps_none(own, children):
    found, seen = [], set()

    def walk(own, children, path):
        for name, member in own:
            if member is None or id(member) not in seen:
                seen.add(id(member))
                found.append((path + name, member))
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")

    walk(own, children, "")
    return found


@solutions.wrong(
    "13.named_members",
    belief="A recursion finishes the children before it looks at the module itself.",
    lesson="A module's own parameters come first. The order decides under which name a shared one stands.",
)
def children_first(own, children):
    found = {}

    def walk(own, children, path):
        for name, (members, inside) in children:
            walk(members, inside, f"{path}{name}.")
        for name, member in own:
            if member is not None:
                found.setdefault(id(member), (path + name, member))

    walk(own, children, "")
    return list(found.values())


@solutions.wrong(
    "13.named_members",
    belief="Each call of the recursion remembers what it has met.",
    lesson="Two children that share a parameter are two calls. What was met must be remembered in one place "
    "for all of them.",
)
def forgets_between_children(own, children):
    seen, found = set(), []
    for name, member in own:
        if member is not None and id(member) not in seen:
            seen.add(id(member))
            found.append((name, member))
    for child, (members, inside) in children:
        found += [(f"{child}.{name}", m) for name, m in forgets_between_children(members, inside)]
    return found


@solutions.wrong(
    "13.named_members",
    belief="A tree is read level by level.",
    lesson="A child is finished, with all that is in it, before the next child begins.",
)
def level_by_level(own, children):
    found, queue = {}, [("", own, children)]
    while queue:
        path, members, inside = queue.pop(0)
        for name, member in members:
            if member is not None:
                found.setdefault(id(member), (path + name, member))
        queue += [(f"{path}{name}.", *module) for name, module in inside]
    return list(found.values())
