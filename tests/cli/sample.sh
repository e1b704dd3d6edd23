#!/bin/sh
# talweg sample: draws, summary, warnings, Ctrl-C, and every bad input. Usage: sample.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 40 --test-cases 10
data=$d/demo/two_classes.csv
set -- --log-sigma 1 --warmup 100 --draws 50 --chains 4

# ---- the contract of the JSON
works sample "$data" "$@" --json
for field in method metric chains draws warmup_seconds sampling_seconds sampling_cpu_seconds acceptance eps steps ess ess_bulk ess_tail ess_fold rhat_max rhat_chance \
    leapfrog_steps counters; do
    gives "'$field' in r"
done
gives 'r["chains"] == 4 and r["draws"] == 50 and r["ess_bulk"]["median"] >= r["ess_bulk"]["min"] > 0'
gives 'set(r["counters"]) == {"energy_divergence", "implicit_failure", "irreversible", "factorisation"}'
gives 'r["candidates"][0]["method"] == "ess" and any(c["tried"] for c in r["candidates"])'
gives 'all((c["acceptance"] is None) == (not c["tried"]) for c in r["candidates"])'
cp "$d/out" "$d/auto.json"

# ---- a candidate that is not run to its end says why, and what it cost
works demo --data-only --directory "$d/few" --cases 25 --test-cases 2
works sample "$d/few/two_classes.csv" --log-sigma 8 --warmup 20 --draws 20 --quiet --json
gives 'r["candidates"][-1]["method"] == "rmhmc" and r["candidates"][-1]["reason"].startswith(("skipped: ", "stopped early: "))'
gives 'all(c["tried"] or c["reason"].split(":")[0] in ("skipped", "stopped early") for c in r["candidates"])'
gives 'all((c["flops_spent"] > 0) == (c["iterations"] > 0) for c in r["candidates"])'

# ---- every method and metric; K has full rank with a Matern kernel
for pair in hmc/ep hmc/prior hmc/identity ess/ep ess/prior rmhmc/smoothed rmhmc/hessian rmhmc/fisher rmhmc/anchored; do
    works sample "$data" --kernel matern32 --warmup 40 --draws 20 --chains 2 --method "${pair%/*}" --metric "${pair#*/}" \
        --json --quiet --no-warnings
    gives "r['method'] == '${pair%/*}' and r['metric'] == '${pair#*/}' and r['chains'] == 2 and 0 < r['acceptance'] <= 1"
    [ ! -s "$d/err" ] || complain "--quiet was not quiet: $(cat "$d/err")"
done

# ---- the report for people
works sample "$data" "$@"
says out 'pilot runs'
says out '<- chosen'
says out 'R-hat'
says out 'energy divergences'

# ---- the printed range of steps is the one they are drawn from
works sample "$data" "$@" --method hmc --metric prior -o "$d/steps.csv"
sed -n 's/^sampler.*, \([0-9]*\) leapfrog steps (\([0-9]*\) to \([0-9]*\))$/\1 \2 \3/p' "$d/out" | tr '\n' ' ' >"$d/range"
cut -d , -f 6 "$d/steps.csv" | sed 1d | sort -n | sed -n '1p;$p' | tr '\n' ' ' >>"$d/range"
awk '{ half = int(($1 + 1) / 2); exit !(NF == 5 && $2 == half && $3 == int(3 * $1 / 2) && $2 <= $4 && $4 < $5 && $5 <= $3) }' "$d/range" ||
    complain "mean, least and most steps as printed, and as drawn: $(cat "$d/range")"

# ---- a goal instead of a number: the same end in memory and with a file, for any number of threads
works sample "$data" --ell 1 --log-sigma 1 --method hmc --chains 4 --until-ess 200 --json
gives 'r["ess"]["min"] >= 200 and r["draws"] in (96, 144, 216, 324, 486, 729) and r["warnings"] == []'
cp "$d/out" "$d/goal.json"
works sample "$data" --ell 1 --log-sigma 1 --method hmc --chains 4 --until-ess 200 --threads 3 --json -o "$d/goal.nc"
gives 'all(r[k] == other("goal.json")[k] for k in ("draws", "ess", "ess_fold", "rhat_max", "rhat_chance"))'
works sample "$data" --log-sigma 1 --warmup 100 --method hmc --chains 4 --until-ess 2000 --max-draws 70
says err 'draws of each chain, below the goal of 2000. Raise --max-draws'
# without a number of draws the goal is 400, of as many chains as pay
works sample "$data" --ell 1 --sigma 2.7 --json
gives 'r["chains"] == 32 and r["ess"]["min"] >= 400 and r["draws"] < 1000 and r["warnings"] == []'
works sample "$data" --log-sigma 1 --method rmhmc --draws 20 --warmup 30 --json --no-warnings
gives 'r["chains"] == 4'
works sample "$data" --ell 1 --sigma 2.7 --method hmc --chains auto --warmup auto --until-ess 1e9 --max-draws 1e9 --max-seconds 1 --json \
    -o "$d/timed.nc"
gives '[w["code"] for w in r["warnings"]][0] == "time" and r["interrupted"] and r["draws"] > 0 and r["seconds_total"] < 60'
refuses 3 'passed before the first draw: nothing was written' sample "$data" --log-sigma 1 --method hmc --max-seconds 1e-6 -o "$d/none.nc"
if [ -e "$d/none.nc" ] || [ -e "$d/none.nc.journal" ]; then complain 'a run without a draw left a file'; fi
refuses 1 'needs a whole number or auto' sample "$data" --chains many
refuses 1 'cannot be used together' sample "$data" "$@" --until-ess 200
refuses 1 '--until-ess must be above 0' sample "$data" --until-ess 0

# ---- files: draws, and the same bytes for any number of threads
works sample "$data" "$@" --method hmc --threads 1 -o "$d/one.csv"
works sample "$data" "$@" --method hmc --threads 3 -o "$d/three.csv"
cmp -s "$d/one.csv" "$d/three.csv" || complain "draws depend on the number of threads"
[ "$(wc -l <"$d/one.csv")" = 201 ] || complain "one.csv has $(wc -l <"$d/one.csv") lines, not 201"
head -n 1 "$d/one.csv" | grep -q '^chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy,x.1,.*,x.40$' ||
    complain "the header of the draws: $(head -c 200 "$d/one.csv")"
works sample "$data" "$@" --method hmc --seed 2 -o "$d/two.csv"
! cmp -s "$d/one.csv" "$d/two.csv" || complain "the seed has no effect"
works sample "$data" "$@" --method hmc -o "$d/run.json"
cp "$d/run.json" "$d/out" && gives 'r["method"] == "hmc" and r["draws"] == 50'
refuses 1 'one.csv already exists' sample "$data" "$@" -o "$d/one.csv"
works sample "$data" "$@" --method hmc --seed 2 -o "$d/one.csv" --force
cmp -s "$d/one.csv" "$d/two.csv" || complain "--force did not overwrite"

# ---- start points: one column for all chains, or one for each
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 3 - 1 }' >"$d/start.csv"
awk 'BEGIN { for (i = 0; i < 40; i++) print 0, 1, -1, i / 40 }' >"$d/starts.csv"
works sample "$data" "$@" --method hmc --init "$d/start.csv"
works sample "$data" "$@" --method hmc --init "$d/starts.csv"
works sample "$data" "$@" --method hmc --init prior
works sample "$data" "$@" --method hmc --eps 0.3 --steps 4 --warmup 0 --json
gives 'r["eps"] == 0.3 and r["steps"] == 4 and r["leapfrog_steps"] == 4 * 50 * 4'
works sample "$data" "$@" --method rmhmc --from ep --beta 0.5 --json

# ---- the q of --beta 0 from files: at b = 0 the draws are those of q, here N(0.3, 4 I) and its mean over 8000 numbers
awk 'BEGIN { for (i = 0; i < 40; i++) print 0.3 }' >"$d/mean.csv"
awk 'BEGIN { for (i = 0; i < 40; i++) for (j = 0; j < 40; j++) printf "%d%s", i == j ? 4 : 0, j < 39 ? "," : "\n" }' >"$d/cov.csv"
works sample "$data" "$@" --method hmc --metric prior --from "$d/mean.csv,$d/cov.csv" --beta 0 -o "$d/q.csv"
awk -F, 'NR > 1 { for (i = 9; i <= 48; i++) { n++; s += $i; t += $i * $i } }
         END { m = s / n; v = t / n - m * m; exit !(m > 0.1 && m < 0.5 && v > 3.5 && v < 4.5) }' "$d/q.csv" ||
    complain "the draws at --beta 0 are not those of the q that was given"
works sample "$data" "$@" --method rmhmc --from "$d/mean.csv,$d/cov.csv" --beta 0.5
says out 'to the posterior at beta = 0.5, not the posterior'
refuses 1 'for 40 cases' sample "$data" "$@" --from "$d/mean.csv,$d/start.csv"
refuses 1 'cannot be opened' sample "$data" "$@" --from nowhere.json

# ---- warnings that say what to do
works sample "$data" --log-sigma 3 --draws 30 --warmup 30 --method ess --metric prior
says err 'R-hat is'
says err 'Raise --draws'
works sample "$data" --log-sigma 2 --kernel matern32 --draws 20 --method rmhmc --metric hessian --eps 2 --steps 5 --warmup 10
says err 'implicit solve failed in'
says err 'use --metric smoothed or a smaller --eps'
works sample "$data" --log-sigma 3 --draws 30 --warmup 30 --method ess --metric prior --json --quiet
gives 'any(w["code"] == "rhat" and "Raise --draws" in w["message"] for w in r["warnings"])'

# ---- bad input
mkfifo "$d/pipe.nc"
awk 'BEGIN { for (i = 0; i < 39; i++) print 0 }' >"$d/short.csv"
awk 'BEGIN { for (i = 0; i < 40; i++) print (i == 7 ? "nan" : "0") }' >"$d/nan.csv"
refuses 1 '--eps must be above 0, not 0' sample "$data" --method hmc --eps 0
refuses 1 '--eps must be above 0, not -1' sample "$data" --method hmc --eps -1
refuses 1 '--steps must be from 1 to 1000000, not 1.84467e+19' sample "$data" --method hmc --steps 18446744073709551615
refuses 1 '--fixed-point must be from 0 to 10000, not 10001' sample "$data" --method rmhmc --fixed-point 10001
refuses 1 '--steps must be from 1 to 1000000, not 0' sample "$data" --method hmc --steps 0
refuses 1 '--beta must be from 0 to 1, not 1.5' sample "$data" --beta 1.5
refuses 1 '--beta must be from 0 to 1, not -0.1' sample "$data" --beta -0.1
refuses 1 '--target-accept must be between 0 and 1, not 1' sample "$data" --target-accept 1
refuses 1 '--chains must be from 1' sample "$data" --chains 0
refuses 1 '--draws must be from 1' sample "$data" --draws 0
refuses 1 '--thin must be from 1' sample "$data" --thin 0
refuses 1 '--draws and --until-ess cannot be used together' sample "$data" --draws 10 --until-ess 100
refuses 1 '--draws and --max-draws cannot be used together' sample "$data" --draws 10 --max-draws 5
refuses 1 'unknown method "nuts"; choose from' sample "$data" --method nuts
refuses 1 'unknown metric "euclid"' sample "$data" --method hmc --metric euclid
refuses 1 '--metric hessian needs a --method' sample "$data" --metric hessian
refuses 1 'the metric hessian cannot be used with hmc; choose from: ep, prior, identity' sample "$data" --method hmc --metric hessian
refuses 1 'the metric prior cannot be used with rmhmc' sample "$data" --method rmhmc --metric prior
refuses 1 'the metric identity cannot be used with ess; choose from: ep, prior' sample "$data" --method ess --metric identity
refuses 1 '--eps is an option of --method hmc or rmhmc or mgrad, not of auto' sample "$data" --eps 0.1
refuses 1 '--warmup 0 allows no tuning' sample "$data" --method hmc --warmup 0
refuses 1 'short.csv: a start must have 40 rows' sample "$data" --quiet --method hmc --init "$d/short.csv"
refuses 1 'nan.csv: line 8' sample "$data" --quiet --method hmc --init "$d/nan.csv"
refuses 1 'absent.csv: cannot be opened' sample "$data" --quiet --method hmc --init "$d/absent.csv"
refuses 1 'the name must end in .nc (the run)' sample "$data" -o "$d/run.txt"
refuses 1 '--compress needs -o FILE.nc' sample "$data" --compress -o "$d/run.csv"
refuses 1 '--summary-only needs -o FILE.nc' sample "$data" --summary-only
refuses 1 '--pointwise needs -o FILE.nc' sample "$data" --pointwise
refuses 3 'cannot be written' sample "$data" -o "$d/absent/run.nc"
refuses 1 'is not a regular file' sample "$data" -o "$d/pipe.nc"
refuses 3 'cannot be written' sample "$data" --stan-csv "$d/absent/run"
refuses 3 'cannot be written' sample "$data" -o "$d/absent/run.csv"
printf '1,2\n2,1\n' >"$d/indefinite.csv"
printf 'y\n1\n-1\n' >"$d/two_labels.csv"
refuses 1 'not positive' sample "$d/two_labels.csv" --kernel-matrix "$d/indefinite.csv"
awk 'BEGIN { print "a,y"; print "0,1"; print "0,1"; print "1,-1" }' >"$d/twice.csv"
refuses 1 'the identity metric needs a kernel matrix of full rank' \
    sample "$d/twice.csv" --quiet --method hmc --metric identity

# ---- Ctrl-C: a complete file of the draws so far
# (What a script starts in the background ignores SIGINT unless something sets it back; env can.)
if env --default-signal=INT true 2>/dev/null; then
    checks=$((checks + 1))
    nice env --default-signal=INT "$talweg" sample "$data" --method hmc --draws 300000 --warmup 20 --chains 1 \
        -o "$d/long.csv" --json >"$d/out" 2>"$d/err" &
    job=$!
    await 'long.csv.*.part' 64 # draws are there
    kill -INT "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" = 0 ] || complain "Ctrl-C: exit $code: $(cat "$d/err")"
    says err 'interrupted after'
    gives 'r["interrupted"] and 0 < r["draws"] < 300000'
    gives "sum(1 for l in open('$d/long.csv')) == r['draws'] + 1"
    awk -F, 'NF != 48 { exit 1 }' "$d/long.csv" || complain "a torn line in the file of an interrupted run"

    # before the first draw: nothing that would be of no use
    checks=$((checks + 1))
    env --default-signal=INT "$talweg" sample "$data" --method hmc --warmup 100000000 -o "$d/early.nc" --quiet \
        >"$d/out" 2>"$d/err" &
    job=$!
    await early.nc.journal
    kill -INT "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" = 3 ] || complain "Ctrl-C in warm-up: exit $code: $(cat "$d/err")"
    says err 'talweg: error: interrupted before the first draw: nothing was written'
    ! ls "$d"/early.nc* 2>/dev/null || complain "Ctrl-C in warm-up left a file"

    # while the data are read, which here never come
    mkfifo "$d/pipe.csv"
    for command in sample evidence; do
        checks=$((checks + 1))
        env --default-signal=INT "$talweg" $command "$d/pipe.csv" -o "$d/early.nc" --quiet >"$d/out" 2>"$d/err" &
        job=$!
        exec 9>"$d/pipe.csv" # waits for the reader
        kill -INT "$job"
        code=0
        wait "$job" || code=$?
        exec 9>&-
        [ "$code" = 3 ] || complain "Ctrl-C while $command reads: exit $code: $(cat "$d/err")"
        says err 'talweg: error: interrupted before'
        ! ls "$d"/early.nc* 2>/dev/null || complain "Ctrl-C while $command reads left a file"
    done
fi
finish
