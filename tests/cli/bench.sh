#!/bin/sh
# talweg bench: the JSON of the contract, the table, what is left out, bad input. Usage: bench.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

literal=False # is the literal algorithm of the report in this program?
! grep -q '^TALWEG_LITERAL:BOOL=ON' "$build/CMakeCache.txt" || literal=True

# the built-in problem: both engines, both starts
works bench --cases 40 --json
gives 'r["n"] == 40 and r["dpotrf_seconds"] > 0'
gives "r['note'] is None if $literal else 'was built without it' in r['note']"
gives '[(s["engine"], s["metric"], s["start"], s["beta"]) for s in r["leapfrog"]] == [(e, m, q, b)
    for q, b in (("prior", 1), ("ep", 0.5))
    for e, m in (("talweg", "hessian"), ("talweg", "smoothed"), ("literal", "hessian")) if e == "talweg" or '$literal']'
gives 'all(s["eps"] == 0.1 and s["seconds"] > 0 and 0 <= s["active"] <= 40 for s in r["leapfrog"])'
gives 'all((s["positions"], s["tolerance"]) == (20, 1e-9) and s["failed"] == 0
    for s in r["leapfrog"] if s["engine"] == "talweg")'
gives 'all((s["positions"], s["tolerance"], s["iterations"]) == (3, None, 10)
    for s in r["leapfrog"] if s["engine"] == "literal")'
gives '[b["columns"] for b in r["hmc_batch"]] == [1, 8, 32, 128]'
gives 'all(isinstance(b["seconds"], float) and b["single_seconds"] > 0 and b["gemm_seconds"] > 0 for b in r["hmc_batch"])'

# a file of data; the table
works demo --data-only --directory "$d/demo" --cases 40 --test-cases 20
data=$d/demo/two_classes.csv
works bench "$data" --log-ell -1.5 --log-sigma 1
says out '40 cases, probit likelihood'
says out 'log ell = -1.5; log sigma = 1'
says out 'literal'
says out '128 columns'
# in each row the ratio is that of the times before it, to their rounding and its own
LC_ALL=C awk '/^ +[0-9]+ columns? / {
    low = ($5 - 0.0006) / ($3 + 0.0006) - 0.006
    high = $3 > 0.0006 ? ($5 + 0.0006) / ($3 - 0.0006) + 0.006 : 1e9
    if ($7 < low || $7 > high) wrong = 1
    rows++
} END { exit wrong || rows != 4 }' "$d/out" || complain "a ratio is not that of its times: $(cat "$d/out")"

# no literal algorithm where K is singular, or for another likelihood; the rest is measured all the same
for model in '--log-ell 3' '--likelihood logit'; do
    # shellcheck disable=SC2086 # the options are meant to be split
    works bench "$data" $model --json
    gives 'len(r["leapfrog"]) == 4 and all(s["engine"] == "talweg" for s in r["leapfrog"])'
    gives '"skipped" in r["note"] and len(r["hmc_batch"]) == 4'
done

refuses 1 'absent.csv' bench "$d/absent.csv" --json
refuses 1 '--kernel-matrix needs DATA' bench --kernel-matrix "$d/k.npy"
refuses 1 '--cases' bench --cases 1
works bench --cases 20 --likelihood poisson # at observations that suit it
says out 'the built-in problem: 20 cases, poisson likelihood'
works bench --help
says out 'built-in problem'
[ -z "$(sed '/^Example/,$d' "$d/out" | awk 'length > 79')" ] || complain "--help has lines that are too long"
finish
