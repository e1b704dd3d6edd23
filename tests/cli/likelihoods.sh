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
    # shellcheck disable=SC2086
    works predict "$d/run.nc" "$file" $columns -o "$d/predicted.csv" --force --quiet
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /_q05$/) a = i; if ($i ~ /_q50$/) b = i; if ($i ~ /_q95$/) c = i } }
        NR > 1 && !(a && $a <= $b && $b <= $c) { bad = 1 } END { exit bad }' "$d/predicted.csv" ||
        complain "$*: quantiles out of order: $(sed -n '1,2p' "$d/predicted.csv")"
}

# ---- binomial: successes of n trials
data binomial n,y '4 + i % 5 "," int((4 + i % 5) / (1 + exp(-2 * f)) + 0.5)'
for name in binomial binomial_probit; do
    every_command binomial '--trials-column n' --likelihood "$name" --trials-column n
done
works selftest "$d/binomial.csv" --likelihood binomial --trials-column n
refuses 1 'binomial.csv: the binomial likelihood needs the column trials: name it with --trials-column, or give one value for all cases with --trials' \
    approx "$d/binomial.csv" --likelihood binomial
refuses 1 '--trials needs a number, not "n"; name a column with --trials-column' \
    approx "$d/binomial.csv" --likelihood binomial --trials n
sed '6s/,[0-9]*$/,99/' "$d/binomial.csv" >"$d/bad.csv"
refuses 1 'bad.csv: observation 5 is 99 (trials 8), but binomial needs 0, 1, ..., trials' approx "$d/bad.csv" \
    --likelihood binomial --trials-column n
sed '6s/,8,/,8.5,/' "$d/binomial.csv" >"$d/bad.csv"
refuses 1 'bad.csv: trials of case 5 is 8.5, but must be 1, 2, 3, ...' approx "$d/bad.csv" --likelihood binomial --trials-column n
refuses 1 '--trials-column cannot be used with the poisson likelihood' approx "$d/binomial.csv" --likelihood poisson --trials-column n

# ---- counts: more variable than Poisson ones; an offset is the logarithm of an exposure
data counts e,o,y '1 + i % 3 "," sprintf("%.17g", log(1 + i % 3)) "," int((1 + i % 3) * exp(1 + f) * (0.5 + i % 2) + 0.5)'
every_command counts '--exposure-column e --offset-column o' --likelihood negative_binomial --dispersion 2.5 \
    --exposure-column e --offset-column o
for name in poisson negative_binomial; do
    cut -d, -f1,2,4 "$d/counts.csv" >"$d/exposure.csv"
    cut -d, -f1,3,4 "$d/counts.csv" >"$d/offset.csv"
    works approx "$d/exposure.csv" --likelihood "$name" --exposure-column e --json
    cp "$d/out" "$d/exposure.json"
    works approx "$d/offset.csv" --likelihood "$name" --offset-column o --json
    gives 'abs(r["ep"]["log_z"] - other("exposure.json")["ep"]["log_z"]) < 1e-6'
done
refuses 1 '--dispersion cannot be used with the poisson likelihood' approx "$d/offset.csv" --likelihood poisson --dispersion 2
refuses 1 '--dispersion' approx "$d/offset.csv" --likelihood negative_binomial --dispersion -2

# ---- times, some of them censored
data times c,y '(i % 4 == 3) "," exp(-f / 2) * (0.3 + i % 5)'
every_command times '--censored-column c' --likelihood weibull --shape 1.5 --censored-column c
every_command times '--censored-column c' --likelihood exponential --censored-column c
# how many are censored is said; their times are not counted in the error
works approx "$d/times.csv" --likelihood weibull --censored-column c --save-approx "$d/fit.json" --force
says out '6 of 24 cases censored'
works predict "$d/fit.json" "$d/times.csv" -o "$d/predicted.csv" --force
says out 'without 6 censored cases'
works predict "$d/fit.json" "$d/times.csv" --json
gives 'r["model"]["censored"] == 6 and r["scores"]["censored"] == 6'
gives 'abs(r["scores"]["rmse"] - math.sqrt(sum((a - b) ** 2 for i, (a, b) in enumerate(zip(r["predictions"]["y"],
        r["predictions"]["y_mean"])) if i % 4 != 3) / 18)) < 1e-12 * r["scores"]["rmse"]'
sed '9s/,[^,]*$/,-1/' "$d/times.csv" >"$d/bad.csv"
refuses 1 'bad.csv: observation 8 is -1 (censored 1), but weibull needs a time > 0' approx "$d/bad.csv" \
    --likelihood weibull --censored-column c
sed '9s/,1,/,2,/' "$d/times.csv" >"$d/bad.csv"
refuses 1 'bad.csv: censored of case 8 is 2, but must be 0 or 1' approx "$d/bad.csv" --likelihood weibull --censored-column c

# ---- a case beyond double precision is named, and a prior without a meaning is refused where it is not used, too
printf 't,y\n0,2\n1,3\n' >"$d/few.csv"
refuses 2 'case 1: log p(y | x) or its derivatives overflow at y = 2, x = 0 under the poisson likelihood' \
    approx "$d/few.csv" --likelihood poisson --offset 800 --log-ell 0 --log-sigma 0
works model "$d/few.csv" --likelihood poisson --prior 'ell ~ gamma(2, 2)' -o "$d/model.json"
works approx --model "$d/model.json" --quiet
sed 's/ell ~ gamma(2, 2)/elk ~ gamma(2, 2)/' "$d/model.json" >"$d/elk.json"
sed 's/gamma(2, 2)/gamma(-2)/' "$d/model.json" >"$d/gamma.json"
refuses 1 'elk.json: field "priors", text 1: ' approx --model "$d/elk.json" --quiet
refuses 1 'gamma.json: field "priors", text 1: ' approx --model "$d/gamma.json" --quiet

# ---- counts beyond what double precision can tell apart
for name in poisson negative_binomial; do
    printf 'x,y\n0,1e12\n1,2\n' >"$d/many.csv"
    refuses 1 "observation 1 is 1e+12, but $name needs 0, 1, 2, ..., 1e11" approx "$d/many.csv" --likelihood $name
done

# ---- levels in order
data levels y '1 + int(1.99 * (1 + f))'
every_command levels '' --likelihood ordinal4 --cut -1 --gap2 0.8 --gap3 1.2
sed '5s/,[^,]*$/,2.5/' "$d/levels.csv" >"$d/bad.csv"
refuses 1 'bad.csv: observation 4 is 2.5, but ordinal4 needs a level 1, 2, ..., 4' approx "$d/bad.csv" --likelihood ordinal4
for gap in 2 1; do # 1 is its default
    refuses 1 '--gap3 cannot be used with the ordinal3 likelihood' \
        approx "$d/levels.csv" --likelihood ordinal3 --gap3 "$gap"
done

# ---- heavy tails: not log-concave
data heavy y 'f + (i % 6 == 2) * 3'
every_command heavy '' --likelihood student_t --scale 0.3 --df 3
works selftest "$d/heavy.csv" --likelihood student_t --scale 0.3 --df 3
refuses 1 'is not log-concave, so its hessian is not a metric' sample "$d/heavy.csv" --likelihood student_t --log-ell -1 \
    --method rmhmc --metric hessian
printf 't,y\n0,3\n0.1,-2.6\n' >"$d/modes.csv"
works approx "$d/modes.csv" --likelihood student_t --scale 0.3 --df 2 --log-ell -0.5 --log-sigma 0.7 --json
gives '[w["code"] for w in r["warnings"]].count("several_modes") == 1'
# ---- far outliers, where EP does not converge: the default sampler works all the same
printf 'x,y\n0,4\n0.7,-4\n0.7,9\n' >"$d/far.csv"
works sample "$d/far.csv" --likelihood student_t --scale 0.3 --df 1.5 --kernel 'se(ell=1,sigma=3)+white(variance=0.2)' --draws 50 \
    --warmup 50 --quiet
# ---- as many levels as the likelihood has
printf 'x,y\n0,low\n1,mid\n2,high\n' >"$d/levels.csv"
works approx "$d/levels.csv" --likelihood ordinal3 --levels low,mid,high --quiet
refuses 1 'the ordinal3 likelihood has 3 levels, but 4 were given' approx "$d/levels.csv" --likelihood ordinal3 --levels low,mid,high,top
# ---- names with commas and quotes are fields of a CSV file
printf '"a,b","say ""x""",y\n0,1,1\n1,2,-1\n2,1,1\n' >"$d/odd.csv"
works approx "$d/odd.csv" --log-ell 0 --log-sigma 0 --save-approx "$d/odd.json" --quiet
works predict "$d/odd.json" "$d/odd.csv" -o "$d/odd.out.csv" --quiet
grep -q '"a,b","say ""x"""' "$d/odd.out.csv" || complain "names without quotes: $(head -n 1 "$d/odd.out.csv")"

finish
