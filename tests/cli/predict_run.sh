#!/bin/sh
# talweg predict from the draws of a run: columns and scores with Monte Carlo errors, agreement with EP, threads,
# a given matrix, exposures, and runs without draws. Usage: predict_run.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 60 --test-cases 700
train=$d/demo/two_classes.csv
test=$d/demo/two_classes_test.csv
model="--standardise --log-ell -0.5,0.1 --log-sigma 1"
short="--chains 4 --warmup 150 --draws 400 --quiet"

# shellcheck disable=SC2086 # the options are meant to be split
works sample "$train" $model $short -o "$d/run.nc"
# shellcheck disable=SC2086
works approx "$train" $model --save-approx "$d/fit.json" --quiet

# scores with errors; the same from the rows by hand; EP within a few of them
works predict "$d/run.nc" "$test" --json -o "$d/p.csv"
gives 'r["n"] == 700 and r["from"] == "draws" and r["chains"] == 4 and r["draws"] == 400'
gives 'abs(sum(r["predictions"]["log_score"]) / 700 - r["scores"]["log_score_nats"]) < 1e-12'
gives 'all(abs(l - math.log(p if y > 0 else 1 - p)) < 1e-9 for l, p, y in
    zip(*(r["predictions"][k] for k in ("log_score", "probability", "y"))))'
gives '0 < r["scores"]["log_score_nats_mcse"] < 0.003 and 0 <= r["scores"]["error_rate_mcse"] < 0.02'
gives 'abs(r["scores"]["log_score_bits_mcse"] * math.log(2) - r["scores"]["log_score_nats_mcse"]) < 1e-15'
gives 'all(0 < e < 0.02 for e in r["predictions"]["mcse"])'
[ "$(head -n 1 "$d/p.csv")" = row,x1,x2,mean,variance,probability,mcse,probability_q05,probability_q50,probability_q95,y,log_score,log_score_mcse ] ||
    complain "header: $(head -n 1 "$d/p.csv")"
[ "$(wc -l <"$d/p.csv")" = 701 ] || complain "lines of the predictions"
cp "$d/out" "$d/draws.json"
works predict "$d/fit.json" "$test" --json
gives 'all(abs(a - b) < 0.02 + 4 * e for a, b, e in zip(r["predictions"]["probability"],
    other("draws.json")["predictions"]["probability"], other("draws.json")["predictions"]["mcse"]))'
gives 'abs(r["scores"]["log_score_nats"] - other("draws.json")["scores"]["log_score_nats"]) < 0.01'
gives 'r["from"] == "approximation" and r["scores"]["log_score_nats_mcse"] is None'

# for people; rows without labels, the same for any number of threads
works predict "$d/run.nc" "$test" -o /dev/stdout
says out 'averaged over 400 draws of each of 4 chains'
says out 'mean log score'
says out '+- 0.00'
cut -d, -f1,2 "$test" >"$d/inputs.csv"
works predict "$d/run.nc" "$d/inputs.csv" --threads 1 -o /dev/stdout
cp "$d/out" "$d/rows.csv"
works predict "$d/run.nc" "$d/inputs.csv" --threads 3 -o /dev/stdout
cmp -s "$d/out" "$d/rows.csv" || complain "predictions depend on the number of threads"
cut -d, -f1-10 "$d/p.csv" >"$d/p4.csv"
cmp -s "$d/out" "$d/p4.csv" || complain "predictions depend on whether there are labels"

# counts: exposures of the run's cases and of the new ones
awk 'BEGIN { print "t,e,y"; for (i = 0; i < 25; i++) print i / 8 "," 1 + i % 4 "," int((1 + i % 4) * (2 + 1.5 * sin(i / 5))) }' \
    >"$d/counts.csv"
# shellcheck disable=SC2086
works sample "$d/counts.csv" --likelihood poisson --exposure-column e --log-sigma 0.5 $short -o "$d/counts.nc"
works approx "$d/counts.csv" --likelihood poisson --exposure-column e --log-sigma 0.5 --save-approx "$d/counts.json"
works predict "$d/counts.json" "$d/counts.csv" --exposure-column e --json
cp "$d/out" "$d/ep.json"
works predict "$d/counts.nc" "$d/counts.csv" --exposure-column e --json
gives 'all(abs(a - b) < 5 * e + 0.02 * b for a, b, e in zip(r["predictions"]["y_mean"],
    other("ep.json")["predictions"]["y_mean"], r["predictions"]["mcse"]))'
gives 'r["scores"]["rmse_mcse"] > 0 and abs(r["scores"]["rmse"] - other("ep.json")["scores"]["rmse"]) < 0.1'

# a given matrix predicts what its kernel predicts
if line_kernel; then
    # shellcheck disable=SC2086
    works sample "$d/counts.csv" --likelihood poisson --exposure-column e --kernel-matrix "$d/k.csv" $short \
        -o "$d/given.nc"
    works predict "$d/given.nc" "$d/counts.csv" --exposure-column e --cross-kernel-matrix "$d/k.csv" \
        --diagonal "$d/diagonal.csv" --json
    gives 'all(abs(a - b) < 5 * e + 0.02 * b for a, b, e in zip(r["predictions"]["y_mean"],
        other("ep.json")["predictions"]["y_mean"], r["predictions"]["mcse"]))'
    refuses 1 'with --cross-kernel-matrix' predict "$d/given.nc" "$d/counts.csv"
fi

# Ctrl-C ends after a block, and leaves the rows there are
awk 'BEGIN { for (i = 0; i < 300000; i++) print i / 150000 - 1 "," i % 7 / 3 - 1 }' >"$d/many.csv"
nice "$talweg" predict "$d/run.nc" "$d/many.csv" -o "$d/some.csv" 2>"$d/err" &
job=$!
await 'some.csv*'
kill -INT "$job" 2>/dev/null || true
wait "$job" || complain "interrupted: exit $?"
rows=$(($(wc -l <"$d/some.csv") - 1))
if [ "$rows" -lt 300000 ]; then
    if [ $((rows % 512)) != 0 ] || [ "$rows" = 0 ]; then complain "interrupted: $rows rows"; fi
    says err "interrupted after $rows of 300000 cases"
fi

# parameters that were not given: a warning where they are chosen, and none from a file that has their values
# shellcheck disable=SC2086
works sample "$train" --log-ell 0 $short --json -o "$d/plain.nc"
gives '[w["message"] for w in r["warnings"] if w["code"] == "default_parameters"][0].count("ignore the data: sigma = 1.") == 1'
works predict "$d/plain.nc" "$test" --json
gives 'r["warnings"] == [] and r["model"]["parameters"]["sigma"] == 1'
works approx "$train" --save-approx "$d/plain.json"
says err 'ell = 1, sigma = 1. Give them (--log-ell, --log-sigma, or in --kernel)'
works approx "$train" --kernel 'se + white(variance=1)' # with an expression --log-ell is refused
says err 'se.sigma = 1. Give them in --kernel'
works predict "$d/plain.json" "$test" -o /dev/stdout
if grep -q 'sigma = 1' "$d/err"; then complain "predict repeats the warning about default parameters"; fi
works model "$train" --log-ell 0 -o "$d/plain_model.json"
works predict "$d/plain_model.json" "$test" -o /dev/null
says err 'ignore the data: sigma = 1.'
works predict "$d/run.nc" "$test" --json
gives 'r["warnings"] == []'

# joint draws: their means are those of the predictions
works predict "$d/run.nc" "$train" -o /dev/null --joint "$d/joint.csv"
works predict "$d/run.nc" "$test" --json --joint "$d/elsewhere.csv"
if [ -n "$python" ]; then
    "$python" - "$d" <<'EOF' || complain "joint draws"
import csv, json, sys

def read(name):
    rows = list(csv.reader(open(sys.argv[1] + "/" + name)))
    assert rows[0][:3] == ["chain", "draw", "f.1"] and rows[-1][:2] == ["4", "400"] and len(rows) == 1601
    return [[float(v) for v in row[2:]] for row in rows[1:]]

mean = lambda rows: [sum(column) / len(column) for column in zip(*rows)]
read("joint.csv")
p = json.load(open(sys.argv[1] + "/out"))["predictions"]
for f, m, v in zip(mean(read("elsewhere.csv")), p["mean"], p["variance"]):
    assert abs(f - m) < 5 * (v / 1600) ** 0.5 + 1e-9, (f, m, v)  # one of 1.7 million by chance
EOF
fi
refuses 1 '--joint needs a run with draws' predict "$d/plain.json" "$test" -o /dev/null --joint "$d/no.csv"
refuses 1 'joint.csv already exists' predict "$d/run.nc" "$test" -o /dev/null --joint "$d/joint.csv"

# runs that cannot predict
# shellcheck disable=SC2086
works sample "$train" $model $short --summary-only -o "$d/summary.nc"
refuses 1 'has no draws of the latents: sample without' predict "$d/summary.nc" "$test"
refuses 1 'has 1 input, but the model has 2' predict "$d/run.nc" "$d/diagonal.csv"
head -c 1000 "$d/run.nc" >"$d/cut.nc"
run predict "$d/cut.nc" "$test" -o /dev/stdout
[ "$code" = 1 ] || complain "half a file: exit $code"
finish
