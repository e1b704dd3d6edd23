#!/usr/bin/python3
"""Write src/math/normal_tables.h: the polynomials behind exp, log and the normal functions.

For t >= 0 let M(t) be the Mills ratio of the normal law and u = 1/M - t. Three functions of t are smooth on
[0, inf) and fall off like a power of t:
    u          ~ t^-1      (hazard and curvature of the lower tail)
    d = u - w  ~ t^-3      (w = (1/u - t)/2; slope of the curvature = -2 lambda d)
    b = -bend  ~ 6 t^-4
Each is fitted by a ratio N(t)/D(t), deg D - deg N being the power, with the leading coefficients fixed so that
the limit t -> inf is exact, interpolating at Chebyshev points of y = (t-c)/(t+c), stretched to include t = 0. All coefficients come out
positive, so Horner's rule loses no digits and rounding them to doubles costs one unit in the last place.
exp and log are polynomials through stretched Chebyshev points of their reduced intervals.

Run from the top of the repository: scripts/generate_normal_tables.py (needs mpmath).
"""
import struct

from mpmath import mp, mpf, atanh, cos, erfc, exp, log, lu_solve, matrix, pi, sqrt

mp.dps = 160
CENTRE = mpf("3.5")


def mills_terms(t):
    """(u, d, b) at t, with digits to spare for the cancellation in each."""
    r = 1 / (sqrt(pi / 2) * erfc(t / sqrt(mpf(2))) * exp(t * t / 2))
    u = r - t
    curvature = r * u
    w = (1 / u - t) / 2
    d = u - w
    return u, d, -(4 * curvature * d * d + 2 * curvature * (curvature - w / u))


def chebyshev_points(count):
    return [cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def stretched_points(count):
    """Chebyshev points stretched until the outer two are -1 and 1: a fit through them is exact at both ends, so
    that nothing jumps where one interval gives way to the next."""
    return [y / cos(pi / (2 * count)) for y in chebyshev_points(count)]


def fit_ratio(which, degree, power, lead):
    """Coefficients (lowest first) of N and D with N/D = mills_terms[which] at the Chebyshev points."""
    count = 2 * degree - power
    left, right = matrix(count, count), matrix(count, 1)
    points = chebyshev_points(count)
    stretch = (1 + points[0]) / (2 * points[0])
    for i, point in enumerate(points):
        y = points[0] - stretch * (points[0] - point)
        t = CENTRE * (1 + y) / (1 - y)
        value, scale = mills_terms(t)[which], (1 + t) ** -degree
        for j in range(degree - power):
            left[i, j] = scale * t**j
        for j in range(degree):
            left[i, degree - power + j] = -scale * value * t**j
        right[i] = scale * (value * t**degree - lead * t ** (degree - power))
    x = list(lu_solve(left, right))
    numerator, denominator = x[: degree - power] + [mpf(lead)], x[degree - power :] + [mpf(1)]
    assert min(numerator + denominator) > 0
    return numerator, denominator


def ratio_error(which, numerator, denominator):
    worst = 0
    for y in chebyshev_points(400):
        t = CENTRE * (1 + y) / (1 - y)
        ratio = mp.polyval(numerator[::-1], t) / mp.polyval(denominator[::-1], t)
        worst = max(worst, abs(ratio / mills_terms(t)[which] - 1))
    return float(worst)


def fit_polynomial(function, low, high, degree):
    """Coefficients (lowest first) of the polynomial through the Chebyshev points of [low, high]."""
    points = [(low + high) / 2 + (high - low) / 2 * y for y in stretched_points(degree + 1)]
    system = matrix(degree + 1, degree + 1)
    for i, x in enumerate(points):
        for j in range(degree + 1):
            system[i, j] = x**j
    return list(lu_solve(system, matrix([function(x) for x in points])))


def polynomial(name, variable, function, low, high, degree, comment, real="double"):
    """The C function of a fitted polynomial, its error in the comment."""
    coefficients = fit_polynomial(function, low, high, degree)
    points = [low + (high - low) * (i + mpf("0.37")) / 400 for i in range(400)]
    error = float(max(abs(mp.polyval(coefficients[::-1], x) / function(x) - 1) for x in points))
    return horner(name, variable, coefficients, f"{comment}; relative error {error:.1e}.", real)


def log_factor(q):
    """-2 atanh(s)/s with q = s^2."""
    return -2 * atanh(sqrt(q)) / sqrt(q) if q else mpf(-2)


def literal(c, real):
    """The C constant that is nearest to c."""
    if real == "double":
        return float(c).hex()
    return struct.unpack("f", struct.pack("f", float(c)))[0].hex().replace("0000000p", "p") + "f"


def horner(name, variable, coefficients, comment, real="double"):
    """A C function that evaluates the polynomial by Horner's rule."""
    lines = [f"/* {comment} */", f"static inline {real} {name}({real} {variable})", "{"]
    lines.append(f"    {real} p = {literal(coefficients[-1], real)};")
    for c in coefficients[-2::-1]:
        lines.append(f"    p = p * {variable} + {literal(c, real)};")
    return lines + ["    return p;", "}", ""]


def main():
    out = [
        "/* normal_tables.h: polynomials of exp, log and the normal functions; see normal.c for their use.",
        " * Written by scripts/generate_normal_tables.py: change that, not this. */",
        "#ifndef TALWEG_MATH_NORMAL_TABLES_H",
        "#define TALWEG_MATH_NORMAL_TABLES_H",
        "",
    ]
    half = log(mpf(2)) / 2
    ninth = mpf(1) / 9
    out += polynomial("tw_exp_polynomial", "x", exp, -half, half, 11, "exp(x), |x| <= log(2)/2")
    out += polynomial("tw_density_polynomial", "x", lambda x: exp(-x / 2) / sqrt(2 * pi), -2 * half, 2 * half, 10,
                      "exp(-x/2) / sqrt(2 pi), |x| <= log(2)")
    out += polynomial("tw_log_polynomial", "q", log_factor, mpf(0), ninth, 8,
                      "-2 atanh(s)/s with q = s^2, |s| <= 1/3")
    out += polynomial("tw_density_polynomial_single", "x", lambda x: exp(-x / 2) / sqrt(2 * pi), -2 * half, 2 * half, 6,
                      "exp(-x/2) / sqrt(2 pi), |x| <= log(2), in single precision", "float")
    for which, name, text, degree, power, lead, real in (
        (0, "mills", "u = 1/M(t) - t", 11, 1, 1, "double"),
        (0, "mills_single", "u = 1/M(t) - t in single precision", 6, 1, 1, "float"),
        (1, "slope", "d = u - w", 14, 3, 1, "double"),
        (2, "bend", "b = -bend", 15, 4, 6, "double"),
    ):
        numerator, denominator = fit_ratio(which, degree, power, lead)
        error = ratio_error(which, numerator, denominator)
        comment = f"{text}: N of N/D, t >= 0; relative error {error:.1e}."
        out += horner(f"tw_{name}_numerator", "t", numerator, comment, real)
        out += horner(f"tw_{name}_denominator", "t", denominator, f"{text}: D of N/D.", real)
    with open("src/math/normal_tables.h", "w", encoding="ascii") as header:
        header.write("\n".join(out + ["#endif", ""]))


main()
