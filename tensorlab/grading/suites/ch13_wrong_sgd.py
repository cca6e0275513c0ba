"""Chapter 13, a step with momentum: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "13.sgd_momentum",
    belief="`parameter = …` changes the parameter.",
    lesson="It makes a new tensor and gives it the old name, inside the function. The network still "
    "holds the old one. Write in place.",
)
def binds_new_names(parameter, grad, velocity, lr, momentum):
    velocity = momentum * velocity + grad
    parameter = parameter - lr * velocity


@solutions.wrong(
    "13.sgd_momentum",
    belief="A step computes the new parameter and hands it back.",
    lesson="Whoever holds the parameter, a layer, holds the old object. A step writes into it and returns "
    "None.",
)
def returns_a_new_one(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_(grad)
    return parameter - lr * velocity


@solutions.wrong(
    "13.sgd_momentum",
    belief="Assigning to .data writes in place.",
    lesson="It gives the tensor another storage. A view of the old cells, or a second name in a file of "
    "weights, sees nothing of it.",
)
def assigns_data(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_(grad)
    parameter.data = parameter - lr * velocity


@solutions.wrong(
    "13.sgd_momentum",
    belief="A velocity is a running mean of the gradients.",
    lesson="That is Adam's. Here the gradient comes in whole, so with momentum 0.9 the velocity grows to ten "
    "times a constant gradient.",
)
def takes_a_mean(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_((1 - momentum) * grad)
    parameter.sub_(lr * velocity)


@solutions.wrong(
    "13.sgd_momentum",
    belief="The velocity is what the parameter moves by, so the learning rate is in it.",
    lesson="The paper has it so. In PyTorch the velocity holds gradients alone, and a new learning rate acts "
    "at once.",
)
def learning_rate_in_the_velocity(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_(lr * grad)
    parameter.sub_(velocity)


@solutions.wrong(
    "13.sgd_momentum",
    belief="The parameter moves by the velocity that it has, and then the velocity changes.",
    lesson="The gradient would come a step late, and the first step would go nowhere.",
)
def moves_first(parameter, grad, velocity, lr, momentum):
    parameter.sub_(lr * velocity)
    velocity.mul_(momentum).add_(grad)


@solutions.wrong(
    "13.sgd_momentum",
    belief="The parameter moves by the gradient and by the velocity.",
    lesson="The new velocity holds the gradient already. Adding it again is Nesterov's form.",
)
def adds_the_gradient_again(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_(grad)
    parameter.sub_(lr * (grad + momentum * velocity))


@solutions.wrong(
    "13.sgd_momentum",
    belief="The gradient points to where the parameter should go.",
    lesson="It points to where the loss grows. The step goes the other way.",
)
def climbs(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_(grad)
    parameter.add_(lr * velocity)


@solutions.wrong(
    "13.sgd_momentum",
    belief="The velocity is only needed for this step.",
    lesson="The next step starts from it. A velocity that is not kept is always 0, and there is no momentum.",
)
def forgets_the_velocity(parameter, grad, velocity, lr, momentum):
    parameter.sub_(lr * (momentum * velocity + grad))


@solutions.wrong(
    "13.sgd_momentum",
    belief="What was and what is new are both multiplied by the momentum.",
    lesson="Only the old velocity fades. The gradient comes in as it is.",
)
def fades_both(parameter, grad, velocity, lr, momentum):
    velocity.add_(grad).mul_(momentum)
    parameter.sub_(lr * velocity)


@solutions.wrong(
    "13.sgd_momentum",
    belief="The gradient has been used, so its memory is free.",
    lesson="It belongs to the caller, who may add to it at the next backward pass, or print it.",
)
def overwrites_the_gradient(parameter, grad, velocity, lr, momentum):
    grad.add_(momentum * velocity)
    velocity.copy_(grad)
    parameter.sub_(lr * velocity)


@solutions.wrong(
    "13.sgd_momentum",
    belief="Momentum helps only once there is a velocity; without momentum the velocity can stay.",
    lesson="With momentum 0 the new velocity is the gradient. If somebody turns momentum on, the next step "
    "starts from it.",
)
def skips_it_without_momentum(parameter, grad, velocity, lr, momentum):
    if momentum == 0:
        parameter.sub_(lr * grad)
    else:
        velocity.mul_(momentum).add_(grad)
        parameter.sub_(lr * velocity)
