"""Poisson numbers of uniform ones. Kernels are made of the text, where `next_double` is their engine's."""

from __future__ import annotations

import math

import numpy as np

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def next_double(words):
    """The next uniform number of a stream."""
    return float(words.doubles(1)[0])


def poisson_number(words, rate):
    """One Poisson number.

    Below a rate of 10: uniform numbers are multiplied until the product falls below exp(-rate). From 10 on:
    Hörmann's transformed rejection, "The transformed rejection method for generating Poisson random
    variables", Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
    """
    if rate == 0.0:
        return np.int64(0)
    if rate < 10.0:
        floor = math.exp(-rate)
        count, product = np.int64(0), 1.0
        while True:
            product *= next_double(words)
            if product <= floor:
                return count
            count += 1
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    log_rate, log_inverse_alpha = math.log(rate), math.log(1.1239 + 1.1328 / (b - 3.4))
    while True:
        u = next_double(words) - 0.5
        v = next_double(words)
        distance = 0.5 - abs(u)
        k = math.floor((2.0 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= squeeze:
            return np.int64(k)
        if k < 0 or (distance < 0.013 and v > distance):
            continue
        accepted = math.log(v) + log_inverse_alpha - math.log(a / (distance * distance) + b)
        if accepted <= -rate + k * log_rate - math.lgamma(k + 1.0):
            return np.int64(k)
