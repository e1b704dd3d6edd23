#!/bin/sh
# --json of every command that has a result: model, parameters, files read and written, time, warnings, each where it
# belongs. Usage: tests/cli/json.sh BUILD
set -u
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
[ -n "$python" ] || { echo "skipped: no python3"; exit 77; }
d=$place
works demo --data-only --directory "$d/demo" --cases 30 --test-cases 10
data=$d/demo/two_classes.csv test=$d/demo/two_classes_test.csv
at='--log-ell 0.5 --log-sigma 1'
few='--chains 2 --draws 20 --warmup 30'

# object READ WRITTEN ARGUMENTS...: the JSON of talweg ARGUMENTS has what every one has, and names these files (without their
# folders; blanks between them), and no others.
object() {
    read=$1 written=$2
    shift 2
    works "$@" --json --quiet --no-warnings
    gives '{"model", "files", "seconds_total", "warnings"} <= set(r) and r["seconds_total"] > 0'
    gives "[f.split('/')[-1] for f in r['files']['read']] == '$read'.split()"
    gives "[f.split('/')[-1] for f in r['files']['written']] == '$written'.split()"
    gives 'all({"code", "message"} == set(w) for w in r["warnings"])'
    gives 'r["model"]["cases"] == 30 and r["model"]["likelihood"] == "probit" and "se" in r["model"]["kernel"]'
    gives 'set(r["model"]["parameters"]) == {"ell", "sigma"}'
}
# shellcheck disable=SC2086
{
    object two_classes.csv '' approx "$data" $at
    object two_classes.csv approx.json approx "$data" $at --save-approx "$d/approx.json"
    object two_classes.csv model.json model "$data" --prior default -o "$d/model.json"
    gives 'len(r["priors"]) == 2'
    object 'two_classes.csv model.json' fit.json fit --model "$d/model.json" -o "$d/fit.json"
    object two_classes.csv hmc.nc sample "$data" $at $few --method hmc -o "$d/hmc.nc"
    gives 'r["leapfrog_steps"] >= 40 and "evaluations" not in r'
    gives '"ess_fold" in [w["code"] for w in r["warnings"]]'
    object two_classes.csv slice.nc sample "$data" $at $few --method ess --seed 2 -o "$d/slice.nc"
    gives 'r["leapfrog_steps"] is None and r["evaluations"] >= 40'
    object 'two_classes.csv model.json' '' sample --model "$d/model.json" --points 64
    object two_classes.csv evidence.nc evidence "$data" $at --method ais --particles 16 -o "$d/evidence.nc"
    object 'two_classes.csv approx.json' '' sample "$data" $at $few --from "$d/approx.json"
    object two_classes.csv grid.csv grid "$data" --log-ell 0:1:2 --log-sigma 0:1:2 -o "$d/grid.csv"
    object two_classes.csv '' selftest "$data" $at
    object two_classes.csv check.html check "$data" $at --against ep --draws 400 --tolerance 9 --log-z-tolerance 9 -o "$d/check.html"
    object two_classes.csv '' bench "$data" $at
}
# commands that read runs: a run's own work, in the units of its method
object hmc.nc '' summary "$d/hmc.nc"
gives 'r["leapfrog_steps"] >= 40 and "evaluations" not in r'
object slice.nc '' summary "$d/slice.nc"
gives 'r["leapfrog_steps"] is None and r["evaluations"] >= 40'
object 'hmc.nc slice.nc' '' summary "$d/hmc.nc" "$d/slice.nc"
gives 'r["leapfrog_steps"] is None and "evaluations" not in r'
object 'hmc.nc slice.nc' all.nc merge "$d/hmc.nc" "$d/slice.nc" -o "$d/all.nc"
object 'hmc.nc two_classes_test.csv' '' predict "$d/hmc.nc" "$test"
object 'hmc.nc two_classes_test.csv' 'page.html' report "$d/hmc.nc" --test "$test" -o "$d/page.html"
gives '"ess_fold" in [w["code"] for w in r["warnings"]]'
object evidence.nc 'estimates.html' report "$d/evidence.nc" -o "$d/estimates.html"
works compare "$d/model.json" "$d/fit.json" --points 64 --json --quiet --no-warnings
gives '{"files", "seconds_total", "warnings"} <= set(r) and len(r["files"]["read"]) == 2'
finish
