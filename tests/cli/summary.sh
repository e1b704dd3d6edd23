#!/bin/sh
# talweg summary: the numbers of talweg sample and of the draws themselves, several files, CSV, JSON, bad input. Usage:
# summary.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# 40 points on two arms, and the same with other labels
awk 'BEGIN { for (i = 0; i < 40; i++) { t = i / 6.0; print cos(t) * t "," sin(2 * t) "," (sin(t) > 0.2 ? 1 : -1) } }' >"$d/a.csv"
awk -F, '{ print $1 "," $2 "," (-$3) }' "$d/a.csv" >"$d/b.csv"
model="--log-ell 0.3 --log-sigma 1 --method hmc --metric ep --warmup 200 --chains 4"

# shellcheck disable=SC2086 # the options are meant to be split, here and below
works sample "$d/a.csv" $model --draws 300 -o "$d/one.nc" --json
cp "$d/out" "$d/sampled"
# shellcheck disable=SC2086
works sample "$d/a.csv" $model --draws 300 -o "$d/draws.csv"

# draws of the path say so, and one draw of one chain says what cannot be known
# shellcheck disable=SC2086
works sample "$d/a.csv" $model --draws 1 --chains 1 --beta 0.5 -o "$d/short.nc"
says out 'ESS             unknown'
says err 'each chain has only 1 draw'
works summary "$d/short.nc"
says out 'draws from the path from prior to the posterior at beta = 0.5, not from the posterior'
says out 'ESS and R-hat are unknown'
says out '1 chain of 1 draw;'
works report "$d/short.nc" -o "$d/short.html"
grep -qF 'These draws are not from the posterior' "$d/short.html" || complain "the page does not say so"

# one file: what sample said, and what the draws say
works summary "$d/one.nc"
says out 'ESS bulk'
says out 'accept_stat__'
says out 'The 10 latents with the smallest ESS, of 40'
[ "$(grep -c '^x\.' "$d/out")" = 10 ] || complain "not 10 rows of latents"
works summary "$d/one.nc" --all
[ "$(grep -c '^x\.' "$d/out")" = 40 ] || complain "not all rows of latents"
works summary "$d/one.nc" --json --csv "$d/one.csv"
gives 'len(r["rows"]) == 46 and r["n"] == 40 and r["chains"] == 4 and r["draws"] == 300'
gives 'all(r[k] == other("sampled")[k] for k in ("ess", "ess_bulk", "ess_tail", "ess_fold", "rhat_max", "ebfmi_min", "counters"))'
gives 'r["rows"]["stepsize__"]["rhat"] is None and r["rows"]["stepsize__"]["mean"] == other("sampled")["eps"]'
gives 'min(v["ess"] for k, v in r["rows"].items() if k[:2] == "x.") == r["ess"]["min"]'
gives 'all(v["ess"] == min(v["ess_bulk"], v["ess_tail"], v["ess_fold"]) for k, v in r["rows"].items() if k[:2] == "x.")'
gives 'min(v["ess_bulk"] for k, v in r["rows"].items() if k[:2] == "x.") == r["ess_bulk"]["min"]'
gives 'abs(r["rows"]["x.7"]["ess_bulk"] / r["sampling_seconds"] - r["rows"]["x.7"]["ess_bulk_per_s"]) < 1e-6'
if [ -n "$python" ]; then
    cp "$d/out" "$d/summary"
    "$python" - "$d" <<'END' || complain "the summary is not that of the draws"
import csv, json, statistics, sys
place = sys.argv[1]
rows = json.load(open(place + "/summary"))["rows"]
draws = list(csv.DictReader(open(place + "/draws.csv")))
table = {row["name"]: row for row in csv.DictReader(open(place + "/one.csv"))}
assert list(table) == list(rows)
for name, column in [("x.%d" % i, "x.%d" % i) for i in range(1, 41)] + [("lp__", "lp"), ("energy__", "energy")]:
    values = sorted(float(draw[column]) for draw in draws)
    scale = statistics.stdev(values)
    assert abs(rows[name]["mean"] - statistics.fmean(values)) < 1e-10 * scale
    assert abs(rows[name]["sd"] - scale) < 1e-10 * scale
    place = 0.95 * (len(values) - 1)  # R's type 7
    low = int(place)
    assert abs(rows[name]["q95"] - (values[low] + (place - low) * (values[low + 1] - values[low]))) < 1e-10 * scale
    for key, value in table[name].items():
        assert key == "name" or float(value) == rows[name][key]
assert table["stepsize__"]["rhat"] == "NaN"
END
fi

# the table shows the columns of the CSV that its head names, rounded
cp "$d/one.csv" "$d/columns.csv"
works summary "$d/one.nc" --all
LC_ALL=C awk 'BEGIN { split("mean mcse_mean sd q5 median q95 ess_bulk ess_tail ess_fold ess_per_s rhat", shown, " ") }
    FNR == NR && FNR == 1 { columns = split($0, head, ","); next }
    FNR == NR { split($0, cell, ","); for (i = 2; i <= columns; i++) value[cell[1], head[i]] = cell[i]; next }
    /^x\./ {
        rows++
        if (NF != 12) wrong = 1
        for (k = 1; k <= 11; k++) {
            exact = value[$1, shown[k]]
            error = $(k + 1) - exact
            size = exact < 0 ? -exact : exact
            limit = (k == 2 ? 0.06 : 6e-4) * size + (k >= 7 && k <= 9 ? 0.51 : k == 10 ? 0.051 : k == 11 ? 5.1e-5 : 0)
            if (error > limit || -error > limit) { wrong = 1; print $1, shown[k], $(k + 1), exact }
        }
    }
    END { exit wrong || rows != 40 }' "$d/columns.csv" "$d/out" >"$d/wrong" || complain "the table is not that of the CSV: $(cat "$d/wrong")"

# several files are chains of one posterior
# shellcheck disable=SC2086
works sample "$d/a.csv" $model --draws 250 --seed 2 -o "$d/two.nc"
works summary "$d/one.nc" "$d/two.nc" --json
gives 'r["chains"] == 8 and r["draws"] == 250 and len(r["files"]["read"]) == 2'
gives 'r["ess_bulk"]["min"] > other("sampled")["ess_bulk"]["min"]'
says err 'one.nc has 300 draws of each chain and another file has 250: the first 250 are used'
refuses 1 'have the same seed 1' summary "$d/one.nc" "$d/one.nc"
# shellcheck disable=SC2086
works sample "$d/b.csv" $model --draws 20 --seed 3 -o "$d/other.nc" --quiet
refuses 1 'differ in the observations' summary "$d/one.nc" "$d/other.nc"

# the same warnings as sample, word for word
works sample "$d/a.csv" --log-ell 0.3 --log-sigma 1 --method ess --metric prior --draws 30 --warmup 5 -o "$d/bad.nc"
grep 'warning: ' "$d/err" >"$d/warned"
works summary "$d/bad.nc"
grep 'warning: ' "$d/err" | cmp -s - "$d/warned" || complain "other warnings: $(cat "$d/warned" "$d/err")"
says err 'has a bulk ESS of'
says err 'Raise --draws'
says out 'see the warnings'
works summary "$d/bad.nc" --json --quiet --no-warnings
[ ! -s "$d/err" ] || complain "--quiet is not quiet"
gives 'any(w["code"][:4] == "ess_" and "Raise --draws" in w["message"] for w in r["warnings"]) and r["ebfmi_min"] is None'

# a file without x has its summary
# shellcheck disable=SC2086
works sample "$d/a.csv" $model --draws 300 -o "$d/small.nc" --summary-only
works summary "$d/small.nc" --json
gives 'r["ess_bulk"] == other("sampled")["ess_bulk"] and r["rows"]["x.1"] is not None'
refuses 1 'use it alone' summary "$d/small.nc" "$d/two.nc"

# ---- bad input
refuses 1 'talweg summary needs RUN...' summary
refuses 1 'absent.nc' summary "$d/absent.nc"
refuses 1 'a.csv' summary "$d/a.csv"
refuses 1 'one.csv already exists' summary "$d/one.nc" --csv "$d/one.csv"
works summary "$d/one.nc" --csv "$d/one.csv" --force
refuses 3 'cannot be written' summary "$d/one.nc" --csv "$d/no/where.csv"
works evidence "$d/a.csv" --log-ell 0.3 --log-sigma 1 --method ais --particles 16 -o "$d/evidence.nc"
refuses 1 'has no draws: the run ended during warm-up' summary "$d/evidence.nc"
finish
