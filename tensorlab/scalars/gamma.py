"""The gamma function's logarithm, and that logarithm's derivatives.

Near its roots 1 and 2 the logarithm is a polynomial between them times the distances from both; a product of
a few numbers leads from there up to 8, and Stirling's series takes over. The derivatives are sums that are
carried upward, to where the Euler-Maclaurin formula holds to the last digit; below 0 they are reflected. See
the *NIST Digital Library of Mathematical Functions*, sections 5.5, 5.11, 5.15 and 25.11. The coefficients
were fitted as in `tensorlab.scalars.exponential`.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.scalars.logarithm import log_float64
from tensorlab.scalars.row import FLOAT, Scalar, number
from tensorlab.scalars.trigonometric import cos_float64, sin_float64

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

PI = 3.141592653589793
HALF_LOG_TWO_PI = 0.9189385332046728  # log(2π) / 2


def lgamma(x):
    """The logarithm of the size of the gamma function; inf at its poles.

    >>> tl.lgamma(tl.tensor([0.5, 1.0, 5.0]))
    tensor([0.5724, 0.0000, 3.1781])
    """
    return math.lgamma(x)


def d_lgamma(grad, x):
    return grad * digamma(x)


def lgamma_between_roots(beyond_1, beyond_2):
    """The logarithm of the gamma function from 1 to 2, of a number's distances from both."""
    t = beyond_1 - 0.5
    # lgamma(y) / ((y - 1) · (y - 2)), in t = y - 1.5, on t from -0.5 to 0.5
    p = -1.804276273750087e-05
    p = p * t + 2.8340547351058232e-05
    p = p * t - 2.2062867871136606e-05
    p = p * t + 3.4988964640274815e-05
    p = p * t - 6.765020809380933e-05
    p = p * t + 0.00010771545393886628
    p = p * t - 0.00016865016226225166
    p = p * t + 0.0002708950296280356
    p = p * t - 0.0004380224528708151
    p = p * t + 0.0007115650250304279
    p = p * t - 0.0011644126224041502
    p = p * t + 0.0019229132430031888
    p = p * t - 0.003212074148968353
    p = p * t + 0.005446457956850198
    p = p * t - 0.009425622447061077
    p = p * t + 0.01679709862898276
    p = p * t - 0.0313084875010217
    p = p * t + 0.06291140107458168
    p = p * t - 0.14595989591430608
    p = p * t + 0.4831289505409809
    return beyond_1 * beyond_2 * p


def lgamma_positive(x):
    """The logarithm of the gamma function of x > 0."""
    if x >= 8.0:
        u = 1.0 / x
        z = u * u
        p = 1.0 / 156.0
        p = p * z - 691.0 / 360360.0
        p = p * z + 1.0 / 1188.0
        p = p * z - 1.0 / 1680.0
        p = p * z + 1.0 / 1260.0
        p = p * z - 1.0 / 360.0
        p = p * z + 1.0 / 12.0
        return x * (log_float64(x) - 1.0) - 0.5 * log_float64(x) + (HALF_LOG_TWO_PI + p * u)
    y = x
    product = 1.0
    while y > 2.0:
        y -= 1.0
        product *= y
    if x < 1.0:
        return lgamma_between_roots(x, x - 1.0) - log_float64(x)
    return lgamma_between_roots(y - 1.0, y - 2.0) + log_float64(product)


def lgamma_float64(x):
    x = np.float64(x)
    a = abs(x)
    if x != x or x == math.inf:
        return x
    if x > 0.0:
        return lgamma_positive(x)
    rest = a - np.floor(a)
    if rest == 0.0 or a == math.inf:
        return math.inf
    sine = sin_float64(PI * (1.0 - rest if rest > 0.5 else rest))
    return log_float64(PI / (a * sine)) - lgamma_positive(a)


def digamma(x):
    """The derivative of lgamma; NaN at whole numbers below 0.

    >>> tl.digamma(tl.tensor([0.5, 1.0]))
    tensor([-1.9635, -0.5772])
    """
    return digamma_float64(x)


def d_digamma(grad, x):
    return grad * polygamma(x, number(1))


def digamma_positive(x):
    """The derivative of the logarithm of the gamma function of x > 0."""
    total = 0.0
    while x < 10.0:
        total -= 1.0 / x
        x += 1.0
    u = 1.0 / x
    z = u * u
    p = 1.0 / 12.0
    p = p * z - 691.0 / 32760.0
    p = p * z + 1.0 / 132.0
    p = p * z - 1.0 / 240.0
    p = p * z + 1.0 / 252.0
    p = p * z - 1.0 / 120.0
    p = p * z + 1.0 / 12.0
    return total + log_float64(x) - 0.5 * u - z * p


def digamma_float64(x):
    x = np.float64(x)
    if x > 0.0:
        return digamma_positive(x)
    rest = x - np.rint(x)
    if x != x or x == 0.0 or rest == 0.0 or x == -math.inf:
        return math.copysign(math.inf, -x) if x == 0.0 else math.nan
    return digamma_positive(1.0 - x) - PI * cos_float64(PI * rest) / sin_float64(PI * rest)


def zeta_positive(s, q):
    """The sum of ``(q + k) ** -s`` over k = 0, 1, 2, ...; q > 0 and s > 1."""
    total = 0.0
    while q < 10.0 + s:
        total += q**-s
        q += 1.0
    power = q**-s
    z = 1.0 / (q * q)
    # The Euler-Maclaurin formula's terms: a Bernoulli number over a factorial, and rising factors.
    p = -3617.0 / 10670622842880000.0 * (s + 13.0) * (s + 14.0) * z
    p = (1.0 / 74724249600.0 + p) * (s + 11.0) * (s + 12.0) * z
    p = (-691.0 / 1307674368000.0 + p) * (s + 9.0) * (s + 10.0) * z
    p = (1.0 / 47900160.0 + p) * (s + 7.0) * (s + 8.0) * z
    p = (-1.0 / 1209600.0 + p) * (s + 5.0) * (s + 6.0) * z
    p = (1.0 / 30240.0 + p) * (s + 3.0) * (s + 4.0) * z
    p = (-1.0 / 720.0 + p) * (s + 1.0) * (s + 2.0) * z
    return total + power * (q / (s - 1.0) + 0.5 + (1.0 / 12.0 + p) * s / q)


def polygamma(x, n):
    """The derivative of digamma, taken `n` times.

    >>> tl.polygamma(1, tl.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    return polygamma_float64(x, n)


def d_polygamma(grad, x, n):
    return grad * polygamma(x, n + number(1))


def polygamma_float64(x, n):
    # (-1)^(n + 1) · n! · the sum of (x + k)^-(n + 1)
    x = np.float64(x)
    s = np.float64(n) + 1.0
    odd = np.floor(0.5 * s) * 2.0 != s
    factor = -1.0 if odd else 1.0
    step = 2.0
    while step < s:
        factor *= step
        step += 1.0
    if x != x or x == -math.inf:
        return math.nan
    if x > 0.0:
        return 0.0 if x == math.inf else factor * zeta_positive(s, x)
    a = -x
    rest = a - np.floor(a)
    if rest == 0.0:
        return factor * math.inf
    # The terms below 0 are those above it with another sign: a sum without end, less what lies beyond.
    below = zeta_positive(s, rest) - zeta_positive(s, a + 1.0)
    return factor * (zeta_positive(s, 1.0 - rest) + (-below if odd else below))


ROWS = (
    Scalar("lgamma", lgamma, 1,
           result=FLOAT, cost=60, gradients=(d_lgamma,),
           variants="function method in_place", aliases="special.gammaln"),
    Scalar("digamma", digamma, 1,
           result=FLOAT, cost=60, gradients=(d_digamma,),
           variants="function method in_place", aliases="special.psi special.digamma"),
    Scalar("polygamma", polygamma, 1,
           result=FLOAT, parameters=1, cost=200, gradients=(d_polygamma,)),
)  # fmt: skip
