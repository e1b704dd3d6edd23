"""Make the data of the examples of sparse priors from public data sets.

Usage: prepare.py DATA FOLDER

DATA has deaths_by_area.csv (x1,x2,expected,deaths), finnish_pines.csv (x,y in the unit square) and sp500_log_returns.csv (one
return per line). The script writes to FOLDER
  areas.csv        x1,x2,area,expected,deaths
  areas.graph      the neighbours of each area: those within one step in both coordinates; an isolated part is joined to the
                   nearest area of another part
  pines_64.csv     x,y,exposure,count: the trees in 64 x 64 cells, and in 316 x 316 (pines_316.csv); pines.csv: the trees
  returns.csv      t,y: returns in per cent
"""
import csv
import math
import os
import sys

data, folder = sys.argv[1:3]


def write(name, head, rows):
    with open(os.path.join(folder, name), "w") as file:
        file.write(",".join(head) + "\n")
        for row in rows:
            file.write(",".join(str(value) for value in row) + "\n")


def read(name):
    with open(os.path.join(data, name)) as file:
        return list(csv.DictReader(file))


def parts(neighbours):
    """The number of the part of each area."""
    part = [None] * len(neighbours)
    for start in range(len(neighbours)):
        todo = [start] if part[start] is None else []
        while todo:
            area = todo.pop()
            if part[area] is None:
                part[area] = start
                todo.extend(neighbours[area])
    return part


def areas():
    rows = read("deaths_by_area.csv")
    place = [(float(r["x1"]), float(r["x2"])) for r in rows]
    at = {p: k for k, p in enumerate(place)}
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    neighbours = [{at[p[0] + a, p[1] + b] for a, b in steps if (p[0] + a, p[1] + b) in at} for p in place]
    part = parts(neighbours)
    while max(part) > 0:
        inside = [k for k in range(len(part)) if part[k] == max(part)]
        pairs = ((math.dist(place[i], place[j]), i, j) for i in inside for j in range(len(part)) if part[j] != part[i])
        _, i, j = min(pairs)
        neighbours[i].add(j)
        neighbours[j].add(i)
        part = parts(neighbours)
    write("areas.csv", ["x1", "x2", "area", "expected", "deaths"],
          [(int(place[k][0]), int(place[k][1]), k + 1, r["expected"], r["deaths"]) for k, r in enumerate(rows)])
    with open(os.path.join(folder, "areas.graph"), "w") as file:
        file.write(f"{len(rows)}\n")
        for k, of in enumerate(neighbours):
            file.write(" ".join(str(v) for v in [k + 1, len(of)] + [j + 1 for j in sorted(of)]) + "\n")


def pines(side, sigma2=1.91):
    """Cells with exposures such that a field of that variance and mean 0 expects as many trees as there are."""
    trees = read("finnish_pines.csv")
    write("pines.csv", ["x", "y"], [(tree["x"], tree["y"]) for tree in trees])
    count = {}
    for tree in trees:
        cell = tuple(min(int(side * float(tree[k])), side - 1) for k in "xy")
        count[cell] = count.get(cell, 0) + 1
    exposure = len(trees) * math.exp(-0.5 * sigma2) / side**2
    write(f"pines_{side}.csv", ["x", "y", "exposure", "count"],
          [((a + 0.5) / side, (b + 0.5) / side, exposure, count.get((a, b), 0)) for a in range(side) for b in range(side)])


def returns():
    values = [float(r["centered_return"]) for r in read("sp500_log_returns.csv")]
    write("returns.csv", ["t", "y"], [(k + 1, 100 * value) for k, value in enumerate(values)])


areas()
pines(64)
pines(316)
returns()
