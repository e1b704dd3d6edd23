"""Draw the pictures of the examples of sparse priors, with gnuplot.

Usage: draw.py FOLDER PICTURE.png pines|areas|returns

FOLDER must contain the files of prepare.py and, for each run NAME.nc, NAME_summary.csv (`talweg summary NAME.nc --csv NAME_summary.csv`).
"""
import csv
import os
import subprocess
import sys

folder, picture, what = sys.argv[1:4]
PALETTE = "set palette defined (-1 '#4a86c8', 0 '#f7f7f7', 1 '#dd8442')\n"


def read(name):
    with open(os.path.join(folder, name)) as file:
        return list(csv.DictReader(file))


def latents(name, count):
    """Posterior mean, 5 % and 95 % of the first latents."""
    rows = {row["name"]: row for row in read(name + "_summary.csv")}
    return [tuple(float(rows[f"x.{i + 1}"][k]) for k in ("mean", "q5", "q95")) for i in range(count)]


def block(name, lines):
    return f"${name} << END\n" + "\n".join(lines) + "\nEND\n"


def panel(name, title, places, values, trees=None):
    """Cells of a regular grid, row by row; those without a value stay empty."""
    at = dict(zip(places, values))
    xs, ys = sorted({p[0] for p in places}), sorted({p[1] for p in places})
    lines = []
    for y in ys:
        lines += [f"{x} {y} {at.get((x, y), 'NaN')}" for x in xs] + [""]
    most = max(abs(v) for v in values)
    script = block(name, lines) + f"set title '{title}'\nset cbrange [{-most}:{most}]\n"
    points = ""
    if trees:
        script += block(name + "_trees", trees)
        points = f", ${name}_trees with points pt 7 ps 0.25 lc rgb '#202020' notitle"
    return script + f"plot ${name} with image notitle{points}\n"


def pines():
    trees = [f"{t['x']} {t['y']}" for t in read("pines.csv")]
    script = "set multiplot layout 1, 2\n"
    for side in (64, 316):
        cells = read(f"pines_{side}.csv")
        values = [v[0] for v in latents(f"pines_{side}", len(cells))]
        places = [(float(c["x"]), float(c["y"])) for c in cells]
        script += panel(f"pines{side}", f"{side} x {side} cells", places, values, trees)
    return "set terminal pngcairo size 1100, 480\n", "set size square\n" + script


def areas():
    rows = read("areas.csv")
    places = [(int(r["x1"]), int(r["x2"])) for r in rows]
    crude = [min(max(float(r["deaths"]) / float(r["expected"]), 0.0), 3.0) - 1.0 for r in rows]
    values = [v[0] for v in latents("areas", len(rows))]
    script = "set multiplot layout 1, 2\n" + panel("crude", "deaths / expected - 1 (at most 2)", places, crude)
    return "set terminal pngcairo size 1100, 440\n", script + panel("risk", "posterior mean of log relative risk", places, values)


def returns():
    rows = read("returns.csv")
    scale = float(os.environ.get("SCALE", "0.8"))
    lines = []
    for row, (mean, low, high) in zip(rows, latents("returns", len(rows))):
        lines.append(" ".join([row["t"], row["y"]] + [f"{scale * 2.718281828459045 ** (0.5 * v):.5g}" for v in (mean, low, high)]))
    script = block("series", lines) + "set xlabel 'day'\nset ylabel 'per cent'\nset key top left\nset xrange [1:2516]\n"
    return "set terminal pngcairo size 1100, 420\n", script + (
        "plot $series using 1:2 with dots lc rgb '#202020' title 'return', '' using 1:4:5 with filledcurves fc rgb '#dd8442' "
        "fs transparent solid 0.35 title 'volatility, central 90 %', '' using 1:3 with lines lw 1.3 lc rgb '#dd8442' title 'its centre'\n")


terminal, body = {"pines": pines, "areas": areas, "returns": returns}[what]()
script = terminal + f"set output '{picture}'\nset tics out nomirror\n" + PALETTE + body
subprocess.run(["gnuplot"], input=script, text=True, check=True)
