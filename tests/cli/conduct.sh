#!/bin/sh
# How the program behaves towards people and scripts: numbers as one types them, advice that fits the run, output that goes
# where it is sent, what --quiet leaves, and what every JSON object has. Usage: conduct.sh BUILD.
set -eu
# shellcheck source=tests/cli/support.sh
. "$(dirname "$0")/support.sh"
d=$place
awk 'BEGIN { print "a,y"; for (i = 0; i < 24; i++) print i / 6 "," (sin(i / 3) * (i % 7 == 3 ? -1 : 1) > 0 ? 1 : -1) }' >"$d/data.csv"
at='--log-ell 0 --log-sigma 0.5'

# ---- whole numbers as people write them, and the range that counts
# shellcheck disable=SC2086 # the options are meant to be split
{
    works sample "$d/data.csv" $at --draws 1e2 --warmup 1.5e2 --chains 2 --method hmc --json
    gives 'r["draws"] == 100'
    refuses 1 '--draws must be from 1 to 1e+12, not -5' sample "$d/data.csv" $at --draws -5
    refuses 1 '--draws needs a whole number, not "2.5"' sample "$d/data.csv" $at --draws 2.5
    refuses 1 '--draws needs a whole number, not "1e-3"' sample "$d/data.csv" $at --draws 1e-3
    refuses 1 '--seed must be at least 0, not -1' sample "$d/data.csv" $at --seed -1
    refuses 1 '--chains must be from 1 to 1000000, not 1e+07' sample "$d/data.csv" $at --chains 1e7
}

# ---- length scale and standard deviation themselves, or their logarithms; a given matrix has neither
works approx "$d/data.csv" --ell 2.5 --sigma 1.5 --json
cp "$d/out" "$d/natural"
works approx "$d/data.csv" --log-ell "$(awk 'BEGIN { printf "%.17g", log(2.5) }')" \
    --log-sigma "$(awk 'BEGIN { printf "%.17g", log(1.5) }')" --json
gives 'abs(r["ep"]["log_z"] - other("natural")["ep"]["log_z"]) < 1e-9 and other("natural")["warnings"] == []'
refuses 1 '--ell and --log-ell set the same parameter' approx "$d/data.csv" --ell 2 --log-ell 0
refuses 1 '--sigma and --log-sigma set the same parameter' approx "$d/data.csv" --sigma 2 --log-sigma 0
refuses 1 '--ell must be above 0, not -2' approx "$d/data.csv" --ell -2 --sigma 1
refuses 1 '--sigma must be above 0, not 0' approx "$d/data.csv" --sigma 0
refuses 1 '--ell needs a kernel given by name only' approx "$d/data.csv" --kernel 'se(ell=1, sigma=1)' --ell 2
awk 'BEGIN { for (i = 0; i < 24; i++) for (j = 0; j < 24; j++) printf "%d%s", i == j, j < 23 ? "," : "\n" }' >"$d/k.csv"
works approx "$d/data.csv" --kernel-matrix "$d/k.csv" --json
gives 'r["model"]["kernel"] is None and r["model"]["parameters"] == {}'
for option in '--log-ell 1' '--ell 1' '--log-sigma 0' '--sigma 1' '--constant 1' '--white 1' '--kernel se'; do
    # shellcheck disable=SC2086
    refuses 1 "${option% *} cannot be used with --kernel-matrix" approx "$d/data.csv" --kernel-matrix "$d/k.csv" $option
done

# ---- every JSON object says what the model was, how long all took, and what there is to doubt
every() {
    gives 'r["model"]["likelihood"] == "probit" and r["model"]["cases"] == 24 and r["model"]["inputs"] == 1'
    gives 'abs(r["model"]["parameters"]["sigma"] - math.exp(0.5)) < 1e-12 and r["model"]["parameters"]["ell"] == 1'
    gives 'r["model"]["kernel"].startswith("se(") and r["model"]["standardised"] is False'
    gives 'r["seconds_total"] > 0 and isinstance(r["warnings"], list)'
}
short='--warmup 50 --draws 60 --chains 2'
# shellcheck disable=SC2086
{
    works approx "$d/data.csv" $at --json --save-approx "$d/fit.json"
    every
    works sample "$d/data.csv" $at $short --method hmc --json -o "$d/run.nc"
    every
    gives 'r["leapfrog_steps"] > 0 and "evaluations" not in r'
    works sample "$d/data.csv" $at $short --method ess --json
    gives 'r["leapfrog_steps"] is None and r["evaluations"] >= 120'
    works evidence "$d/data.csv" $at --json --particles 16 --temperatures 4
    every
    works summary "$d/run.nc" --json
    every
    works predict "$d/run.nc" "$d/data.csv" --json
    every
    works predict "$d/fit.json" "$d/data.csv" --json
    every
    works selftest "$d/data.csv" $at --json
    every
    works bench "$d/data.csv" $at --json
    every
    works grid "$d/data.csv" --log-ell 0:1:2 --log-sigma 0:0.5:2 --json
    gives 'r["model"]["cases"] == 24 and r["seconds_total"] > 0'
}

# ---- quiet: no notes and no progress, but warnings; those go with --no-warnings, and JSON keeps them
awk 'BEGIN { print "a,y"; for (i = 0; i < 5; i++) print i ",1" }' >"$d/one_class.csv"
works approx "$d/one_class.csv" --log-ell 0 --log-sigma 0 --quiet
says err 'talweg: warning: every label is 1'
works approx "$d/one_class.csv" --log-ell 0 --log-sigma 0 --no-warnings --json
[ ! -s "$d/err" ] || complain "--no-warnings: $(cat "$d/err")"
gives '[w["code"] for w in r["warnings"]] == ["one_class"]'
works demo --data-only --directory "$d/demo" --cases 150 --test-cases 40
works approx "$d/demo/two_classes.csv" --log-ell 2 --log-sigma 0
says err 'talweg: note: the covariance matrix is numerically singular'
works approx "$d/demo/two_classes.csv" --log-ell 2 --log-sigma 0 --quiet
[ ! -s "$d/err" ] || complain "--quiet: $(cat "$d/err")"

# ---- advice does not name what is in use
works sample "$d/demo/two_classes.csv" --log-ell 0 --log-sigma 3 --method hmc --metric ep --draws 20 --warmup 5
if grep -q 'R-hat is' "$d/err" && grep -q 'metric ep' "$d/err"; then complain "advice: $(cat "$d/err")"; fi
works sample "$d/demo/two_classes.csv" --log-ell 0 --log-sigma 3 --method rmhmc --metric smoothed --eps 3 --draws 20 --warmup 5 -o "$d/smoothed.nc"
says err 'implicit solve failed'
if grep -q 'metric smoothed' "$d/err"; then complain "advice: $(cat "$d/err")"; fi
works summary "$d/smoothed.nc"
says err 'implicit solve failed'
if grep -q 'metric smoothed' "$d/err"; then complain "advice: $(cat "$d/err")"; fi
if grep -q 'fixed-point' "$d/err"; then complain "advice: $(cat "$d/err")"; fi
# shellcheck disable=SC2086
run evidence "$d/data.csv" $at --from ep --particles 2 --temperatures 1 --eps 1e-9 --method ais
if grep -q -- '--from ep' "$d/err" "$d/out"; then complain "advice: $(cat "$d/out" "$d/err")"; fi

# ---- a reader who has seen enough ends the program without a word
checks=$((checks + 1))
{ "$talweg" --man-page 2>"$d/err" || :; } | head -n 1 >/dev/null
[ ! -s "$d/err" ] || complain "| head: $(cat "$d/err")"
awk 'BEGIN { print "a"; for (i = 0; i < 30000; i++) print i / 5000 }' >"$d/many.csv"
{ "$talweg" predict "$d/fit.json" "$d/many.csv" --quiet -o /dev/stdout 2>"$d/err" || :; } | head -n 1 >/dev/null
[ ! -s "$d/err" ] || complain "predict | head: $(cat "$d/err")"

# ---- the file that nobody named does not replace what is read
cp "$d/many.csv" "$d/predictions.csv"
here=$PWD
cd "$d"
refuses 1 'the predictions would overwrite predictions.csv, an input of this command' predict "$d/fit.json" "$d/predictions.csv" --force
cd "$here"
cmp -s "$d/many.csv" "$d/predictions.csv" || complain "predict replaced the file that it read"
rm "$d/predictions.csv"

# ---- -o /dev/stdout is standard output, whatever it is: a pipe, or a file that has something in it
checks=$((checks + 1))
"$talweg" predict "$d/fit.json" "$d/many.csv" -o /dev/stdout --quiet | wc -l >"$d/lines"
[ "$(cat "$d/lines")" -eq 30001 ] || complain "-o /dev/stdout to a pipe: $(cat "$d/lines") lines"
{
    echo before
    "$talweg" predict "$d/fit.json" "$d/many.csv" -o /dev/stdout --quiet
    echo after
} >"$d/all"
[ "$(wc -l <"$d/all")" -eq 30003 ] || complain "-o /dev/stdout to a file: $(wc -l <"$d/all") lines"
[ "$(head -n 1 "$d/all") $(tail -n 1 "$d/all")" = 'before after' ] || complain "-o /dev/stdout wrote over: $(head -n 2 "$d/all")"

# ---- one of a thing is said as one
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 6; i++) print i "," i * i "," (i % 2) }' >"$d/two.csv"
works approx "$d/two.csv" --log-ell 0 --log-sigma 0 --save-approx "$d/two.json"
sed 1d "$d/data.csv" | cut -d, -f1 >"$d/bare.csv"
refuses 1 'has 1 input, but the model has 2' predict "$d/two.json" "$d/bare.csv"

# ---- a scale that overflows is called that
run approx "$d/data.csv" --log-ell 0 --log-sigma 200
[ "$code" = 2 ] || complain "an overflow: exit $code"
says err 'is too large for double precision'
if grep -q 'inf standard deviations' "$d/err"; then complain "an overflow: $(cat "$d/err")"; fi

# ---- grid: the largest value, and whether it is at the edge, wherever the table goes
works grid "$d/data.csv" --log-ell 0:1:2 --log-sigma 0:1:2
says err 'at the edge of the grid'
[ "$(wc -l <"$d/out")" -eq 5 ] || complain "the table: $(cat "$d/out")"
works grid "$d/data.csv" --log-ell -3:3:7 --log-sigma -3:6:10 -o "$d/grid.csv"
says out 'inside the grid'
works grid "$d/data.csv" --log-ell -3:3:7 --log-sigma -3:6:10 --json
gives 'r["best_at_edge"] is False and r["best"]["log_ell"] < 3'

# ---- predictions: rows that can be used alone, and errors over cases as well as over draws
works predict "$d/run.nc" "$d/data.csv" -o "$d/p.csv"
says out '+- '
says out 'of the sample of cases, and of the draws'
[ "$(head -n 1 "$d/p.csv")" = row,a,mean,variance,probability,mcse,probability_q05,probability_q50,probability_q95,y,log_score,log_score_mcse ] ||
    complain "header: $(head -n 1 "$d/p.csv")"
awk -F, 'NR > 1 && ($1 != NR - 1 || !($7 < $8 && $8 < $9 && $9 <= 1)) { exit 1 }' "$d/p.csv" || complain "rows: $(cat "$d/p.csv")"
tail -n +2 "$d/p.csv" | cut -d, -f2 >"$d/inputs"
tail -n +2 "$d/data.csv" | cut -d, -f1 | awk '{ printf "%.10g\n", $1 }' >"$d/wanted"
awk '{ printf "%.10g\n", $1 }' "$d/inputs" | cmp -s - "$d/wanted" || complain "inputs of the predictions: $(cat "$d/inputs")"
works predict "$d/run.nc" "$d/data.csv" --json
gives 'abs(r["scores"]["error_rate_se"] ** 2 - r["scores"]["error_rate"] * (1 - r["scores"]["error_rate"]) / 24) < 1e-12'
gives 'abs(r["scores"]["log_score_nats_se"] ** 2 - sum((l - r["scores"]["log_score_nats"]) ** 2
    for l in r["predictions"]["log_score"]) / 24 / 23) < 1e-9'
finish
