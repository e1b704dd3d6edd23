#!/bin/sh
# Likelihoods with columns and parameters in every command, and what they say of data that cannot be.
# Usage: likelihoods.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# data NAME COLUMNS AWK: 24 cases of t = 0, 1/4, ... with the columns that AWK prints for i.
data() {
    awk "BEGIN { print \"t,$2\"; for (i = 0; i < 24; i++) { f = sin(i / 4); print i / 4 \",\" $3 } }" >"$d/$1.csv"
}

# every_command FILE SAVED OPTIONS...: all commands with this model; SAVED are the options that name columns of new cases.
every_command() {
    file=$d/$1.csv columns=$2
    shift 2
    works approx "$file" "$@" --save-approx "$d/fit.json" --force --json
    gives 'r["ep"]["converged"] and r["laplace"]["converged"] and abs(r["ep"]["log_z"] - r["laplace"]["log_z"]) < 2'
    cp "$d/out" "$d/approx.json"
    works sample "$file" "$@" --chains 2 --warmup 100 --draws 100 -o "$d/run.nc" --force --quiet
    works evidence "$file" "$@" --method ais --particles 64 --temperatures 12 --json
    gives 'abs(r["estimates"][0]["log_z"] - other("approx.json")["ep"]["log_z"]) < 0.3 + 5 * r["estimates"][0]["se"]'
    works grid "$file" "$@" --log-ell 0:1:2 --log-sigma 0:1:2 --test "$file" --quiet
    # shellcheck disable=SC2086 # the options are meant to be split
    works predict "$d/fit.json" "$file" $columns --json
    cp "$d/out" "$d/predict.json"
    # shellcheck disable=SC2086
    works predict "$d/run.nc" "$file" $columns --json --quiet
    gives 'all(abs(a - b) < 0.5 * s + 0.1 for a, b, s in zip(r["predictions"]["y_mean"],
        other("predict.json")["predictions"]["y_mean"], other("predict.json")["predictions"]["y_sd"]))'
}

# ---- binomial: successes of n trials
data binomial n,y '4 + i % 5 "," int((4 + i % 5) / (1 + exp(-2 * f)) + 0.5)'
for name in binomial binomial_probit; do
    every_command binomial '--trials-column n' --likelihood "$name" --trials-column n
done
works selftest "$d/binomial.csv" --likelihood binomial --trials-column n
refuses 1 'the binomial likelihood needs the column trials' approx "$d/binomial.csv" --likelihood binomial
sed '6s/,[0-9]*$/,99/' "$d/binomial.csv" >"$d/bad.csv"
refuses 1 'bad.csv: observation 5 is 99 (trials 8); binomial needs 0, 1, ..., trials' approx "$d/bad.csv" \
    --likelihood binomial --trials-column n
sed '6s/,8,/,8.5,/' "$d/binomial.csv" >"$d/bad.csv"
refuses 1 'bad.csv: trials of case 5 is 8.5: it must be 1, 2, 3, ...' approx "$d/bad.csv" --likelihood binomial --trials-column n
refuses 1 '--trials-column does not go with the poisson likelihood' approx "$d/binomial.csv" --likelihood poisson --trials-column n
finish
