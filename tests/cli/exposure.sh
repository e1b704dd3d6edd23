#!/bin/sh
# --exposure-column in every command that reads data, and libsvm files whose largest indices differ.
# Usage: exposure.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# ---- counts: columns t, e (the exposure), y
awk 'BEGIN { print "t,e,y"; for (i = 0; i < 25; i++) print i / 8 "," 1 + i % 4 "," int((1 + i % 4) * (2 + 1.5 * sin(i / 5))) }' \
    >"$d/counts.csv"
sed 's/,[0-9]*,/,3,/' "$d/counts.csv" >"$d/threes.csv"
cut -d, -f1,3 "$d/threes.csv" >"$d/plain.csv"
model="--likelihood poisson --log-ell 0 --log-sigma 0.5"

# the same exposure in a column and for all: the same numbers; column by name, from the left, from the right
# shellcheck disable=SC2086 # the options are meant to be split
works approx "$d/plain.csv" $model --exposure 3 --json
cp "$d/out" "$d/plain.json"
for column in e 2 -2; do
    # shellcheck disable=SC2086
    works approx "$d/threes.csv" $model --exposure-column "$column" --json
    gives 'r["ep"]["log_z"] == other("plain.json")["ep"]["log_z"]'
done

# exposures that differ: an exact case, n = 1, where log Z depends on the exposure alone
printf 't,e,y\n0,0.25,2\n' >"$d/one.csv"
# shellcheck disable=SC2086
works approx "$d/one.csv" $model --exposure-column e --json
cp "$d/out" "$d/one.json"
printf 't,y\n0,2\n' >"$d/one_plain.csv"
# shellcheck disable=SC2086
works approx "$d/one_plain.csv" $model --exposure 0.25 --json
gives 'r["ep"]["log_z"] == other("one.json")["ep"]["log_z"]'

# a column of this name that is an input may be one by mistake, which is said
sed 's/^t,e,/t,Exposure,/' "$d/threes.csv" >"$d/named.csv"
# shellcheck disable=SC2086
works approx "$d/named.csv" $model
says err 'the column Exposure is an input; to give it to the likelihood, use --exposure-column Exposure'
for more in '--exposure-column Exposure' '--exposure 2' '--ignore-column Exposure' '--likelihood gaussian'; do
    # shellcheck disable=SC2086
    works approx "$d/named.csv" $model $more
    ! grep -q 'is an input' "$d/err" || complain "a note on the exposure with $more"
done

# every command takes it
# shellcheck disable=SC2086
works sample "$d/counts.csv" $model --exposure-column e --chains 2 --warmup 50 --draws 20 --json
# shellcheck disable=SC2086
works evidence "$d/counts.csv" $model --exposure-column e --method ais --particles 32 --temperatures 10 --json
works grid "$d/counts.csv" --likelihood poisson --exposure-column e --log-ell 0:1:2 --log-sigma 0:1:2 \
    --test "$d/counts.csv"
# shellcheck disable=SC2086
works approx "$d/counts.csv" $model --exposure-column e
says out '(exposure from 1 to 4)'

# predictions: means are proportional to the exposure of the new case, wherever its column is
# shellcheck disable=SC2086
works approx "$d/counts.csv" $model --exposure-column e --save-approx "$d/fit.json"
works predict "$d/fit.json" "$d/counts.csv" --exposure-column e --json
gives 'all(abs(m / ((1 + i % 4) * math.exp(a + v / 2)) - 1) < 1e-12 for i, (m, a, v) in
    enumerate(zip(*(r["predictions"][k] for k in ("y_mean", "mean", "variance")))))'
gives 'r["scores"]["rmse"] < 2 and len(r["predictions"]["y"]) == 25'
cp "$d/out" "$d/known.json"
awk -F, '{ print $1 "," $3 "," $2 }' "$d/counts.csv" >"$d/turned.csv"
works predict "$d/fit.json" "$d/turned.csv" --exposure-column e --json
gives 'all(r[k] == v for k, v in other("known.json").items() if k not in ("seconds_total", "files"))'
cut -d, -f1,2 "$d/counts.csv" >"$d/unlabelled.csv"
# columns go by the names of the training data: the exposure is no label, in whatever place
works predict "$d/fit.json" "$d/turned.csv" --json
gives 'all(r[k] == v for k, v in other("known.json").items() if k not in ("seconds_total", "files"))'
works predict "$d/fit.json" "$d/unlabelled.csv" --json
gives 'r["predictions"]["y_mean"] == other("known.json")["predictions"]["y_mean"] and r["scores"] is None'
sed '1s/e/person_years/' "$d/unlabelled.csv" >"$d/renamed.csv"
refuses 1 'the model has no input "person_years"; choose the column of the exposure with --exposure-column, the label with --label-column, or ignore a column' \
    predict "$d/fit.json" "$d/renamed.csv"
works predict "$d/fit.json" "$d/unlabelled.csv" --exposure-column 2 --json
gives 'r["predictions"]["y_mean"] == other("known.json")["predictions"]["y_mean"] and r["scores"] is None'
works predict "$d/fit.json" "$d/plain.csv" --json
says err 'the new cases have no exposure and use 1, although the training cases have different values'
gives 'all(abs(m / math.exp(a + v / 2) - 1) < 1e-12 for m, a, v in
    zip(*(r["predictions"][k] for k in ("y_mean", "mean", "variance"))))'

# with a given matrix, where the file needs no inputs
if line_kernel; then
    cut -d, -f2,3 "$d/counts.csv" >"$d/labels.csv"
    works approx "$d/labels.csv" --likelihood poisson --kernel-matrix "$d/k.csv" --exposure-column e \
        --save-approx "$d/given.json"
    works predict "$d/given.json" "$d/labels.csv" --exposure-column e --cross-kernel-matrix "$d/k.csv" \
        --diagonal "$d/diagonal.csv" --json
    gives 'all(abs(a - b) < 1e-5 for a, b in zip(r["predictions"]["y_mean"], other("known.json")["predictions"]["y_mean"]))'
fi

# what does not go
refuses 1 '--exposure-column cannot be used with the probit likelihood' approx "$d/counts.csv" --exposure-column e
# shellcheck disable=SC2086
refuses 1 'not both' approx "$d/counts.csv" $model --exposure-column e --exposure 2
# shellcheck disable=SC2086
refuses 1 'counts.csv: unknown exposure column "f"' approx "$d/counts.csv" $model --exposure-column f
# shellcheck disable=SC2086
refuses 1 'cannot be both the label and the exposure' approx "$d/counts.csv" $model --exposure-column y
sed 's/,4,/,-4,/' "$d/counts.csv" >"$d/negative.csv"
# shellcheck disable=SC2086
refuses 1 'negative.csv: exposure of case 4 is -4, but must be > 0' approx "$d/negative.csv" $model --exposure-column e
refuses 1 'negative.csv: exposure of case 4 is -4, but must be > 0' predict "$d/fit.json" "$d/negative.csv" --exposure-column e

# ---- libsvm: what is left out is zero, also at the end of every line of a file
printf '+1 1:1 2:0.5 3:2\n-1 1:-1 3:0.1\n+1 2:1\n-1 1:-2 2:-1 3:-0.3\n' >"$d/train.libsvm"
printf '+1 1:1\n-1 1:-1 2:0.2\n' >"$d/short.libsvm"
printf '1,0,0,1\n-1,0.2,0,-1\n' >"$d/full.csv"
printf '+1 1:1 4:0.5\n' >"$d/long.libsvm"
works approx "$d/train.libsvm" --save-approx "$d/svm.json"
works predict "$d/svm.json" "$d/full.csv" --json
cp "$d/out" "$d/full.json"
works predict "$d/svm.json" "$d/short.libsvm" --json
gives 'all(r[k] == v for k, v in other("full.json").items() if k not in ("seconds_total", "files"))'
refuses 1 'long.libsvm: the largest index is 4, but the model has 3 inputs' \
    predict "$d/svm.json" "$d/long.libsvm"
works grid "$d/train.libsvm" --log-ell 0:1:2 --log-sigma 0:1:2 --test "$d/short.libsvm"
finish
