"""Pointwise functions: one scalar function for every element, operands broadcast against each other.

Each name here is a row of the table in `tensorlab.scalars`, turned into a function of tensors. Functions that
take more than the row's operands are written out in `tensorlab.ops.arithmetic`, `tensorlab.ops.choice` and
`tensorlab.ops.activations`.
"""

from __future__ import annotations

from tensorlab.ops.rows import function_of, in_place, test_of

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "eq",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "floor",
    "fmax",
    "fmin",
    "frac",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "not_equal",
    "reciprocal",
    "relu",
    "rsqrt",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "xlogy",
]

# --- arithmetic ---------------------------------------------------------------------------------------

# Of two operands and nothing else: what the operators call. `tensorlab.ops.arithmetic` has the public
# functions of these names, with `alpha` and `rounding_mode`.
add, add_ = function_of("add"), in_place("add")
sub, sub_ = function_of("sub"), in_place("sub")
div, div_ = function_of("div"), in_place("div")

neg, neg_ = function_of("neg"), in_place("neg")
negative, negative_ = function_of("neg", "negative"), in_place("neg", "negative")
abs, abs_ = function_of("abs"), in_place("abs")
absolute, absolute_ = function_of("abs", "absolute"), in_place("abs", "absolute")
sign, sign_ = function_of("sign"), in_place("sign")
sgn, sgn_ = function_of("sgn"), in_place("sgn")
square, square_ = function_of("square"), in_place("square")
reciprocal, reciprocal_ = function_of("reciprocal"), in_place("reciprocal")
mul, mul_ = function_of("mul"), in_place("mul")
multiply, multiply_ = function_of("mul", "multiply"), in_place("mul", "multiply")
maximum = function_of("maximum")
minimum = function_of("minimum")
fmax = function_of("fmax")
fmin = function_of("fmin")

# --- comparison and logic -----------------------------------------------------------------------------

eq, eq_ = function_of("eq"), in_place("eq")
ne, ne_ = function_of("ne"), in_place("ne")
not_equal, not_equal_ = function_of("ne", "not_equal"), in_place("ne", "not_equal")
lt, lt_ = function_of("lt"), in_place("lt")
less, less_ = function_of("lt", "less"), in_place("lt", "less")
le, le_ = function_of("le"), in_place("le")
less_equal, less_equal_ = function_of("le", "less_equal"), in_place("le", "less_equal")
gt, gt_ = function_of("gt"), in_place("gt")
greater, greater_ = function_of("gt", "greater"), in_place("gt", "greater")
ge, ge_ = function_of("ge"), in_place("ge")
greater_equal, greater_equal_ = function_of("ge", "greater_equal"), in_place("ge", "greater_equal")
isnan = test_of("isnan")
isinf = test_of("isinf")
isfinite = test_of("isfinite")
signbit = function_of("signbit")
angle = function_of("angle")
copysign, copysign_ = function_of("copysign"), in_place("copysign")
logical_not, logical_not_ = function_of("logical_not"), in_place("logical_not")
logical_and, logical_and_ = function_of("logical_and"), in_place("logical_and")
logical_or, logical_or_ = function_of("logical_or"), in_place("logical_or")
logical_xor, logical_xor_ = function_of("logical_xor"), in_place("logical_xor")
bitwise_not, bitwise_not_ = function_of("bitwise_not"), in_place("bitwise_not")
bitwise_and, bitwise_and_ = function_of("bitwise_and"), in_place("bitwise_and")
bitwise_or, bitwise_or_ = function_of("bitwise_or"), in_place("bitwise_or")
bitwise_xor, bitwise_xor_ = function_of("bitwise_xor"), in_place("bitwise_xor")
bitwise_left_shift, bitwise_left_shift_ = function_of("bitwise_left_shift"), in_place("bitwise_left_shift")
bitwise_right_shift, bitwise_right_shift_ = (
    function_of("bitwise_right_shift"),
    in_place("bitwise_right_shift"),
)

# --- rounding -----------------------------------------------------------------------------------------

floor, floor_ = function_of("floor"), in_place("floor")
ceil, ceil_ = function_of("ceil"), in_place("ceil")
trunc, trunc_ = function_of("trunc"), in_place("trunc")
fix, fix_ = function_of("trunc", "fix"), in_place("trunc", "fix")
frac, frac_ = function_of("frac"), in_place("frac")

# --- exponentials, angles, roots ----------------------------------------------------------------------

exp, exp_ = function_of("exp"), in_place("exp")
exp2, exp2_ = function_of("exp2"), in_place("exp2")
expm1, expm1_ = function_of("expm1"), in_place("expm1")
log, log_ = function_of("log"), in_place("log")
log2, log2_ = function_of("log2"), in_place("log2")
log10, log10_ = function_of("log10"), in_place("log10")
log1p, log1p_ = function_of("log1p"), in_place("log1p")
logaddexp = function_of("logaddexp")
logaddexp2 = function_of("logaddexp2")
xlogy, xlogy_ = function_of("xlogy"), in_place("xlogy")
sqrt, sqrt_ = function_of("sqrt"), in_place("sqrt")
rsqrt, rsqrt_ = function_of("rsqrt"), in_place("rsqrt")
hypot, hypot_ = function_of("hypot"), in_place("hypot")
sin, sin_ = function_of("sin"), in_place("sin")
cos, cos_ = function_of("cos"), in_place("cos")
tan, tan_ = function_of("tan"), in_place("tan")
asin, asin_ = function_of("asin"), in_place("asin")
arcsin, arcsin_ = function_of("asin", "arcsin"), in_place("asin", "arcsin")
acos, acos_ = function_of("acos"), in_place("acos")
arccos, arccos_ = function_of("acos", "arccos"), in_place("acos", "arccos")
atan, atan_ = function_of("atan"), in_place("atan")
arctan, arctan_ = function_of("atan", "arctan"), in_place("atan", "arctan")
atan2, atan2_ = function_of("atan2"), in_place("atan2")
arctan2, arctan2_ = function_of("atan2", "arctan2"), in_place("atan2", "arctan2")
sinh, sinh_ = function_of("sinh"), in_place("sinh")
cosh, cosh_ = function_of("cosh"), in_place("cosh")
tanh, tanh_ = function_of("tanh"), in_place("tanh")
asinh, asinh_ = function_of("asinh"), in_place("asinh")
arcsinh, arcsinh_ = function_of("asinh", "arcsinh"), in_place("asinh", "arcsinh")
acosh, acosh_ = function_of("acosh"), in_place("acosh")
arccosh, arccosh_ = function_of("acosh", "arccosh"), in_place("acosh", "arccosh")
atanh, atanh_ = function_of("atanh"), in_place("atanh")
arctanh, arctanh_ = function_of("atanh", "arctanh"), in_place("atanh", "arctanh")
sigmoid, sigmoid_ = function_of("sigmoid"), in_place("sigmoid")
erf, erf_ = function_of("erf"), in_place("erf")
erfc, erfc_ = function_of("erfc"), in_place("erfc")
sinc, sinc_ = function_of("sinc"), in_place("sinc")
relu, relu_ = function_of("relu"), in_place("relu")

_OF_ARITHMETIC = {add, add_, sub, sub_, div, div_}

METHODS = tuple(
    function
    for function in list(globals().values())
    if getattr(function, "__module__", None) == __name__ and function not in _OF_ARITHMETIC
)
