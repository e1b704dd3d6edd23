#!/bin/sh
# talweg check: exit codes, the JSON of the contract, files and the page. Usage: check.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# ends CODE ARGUMENTS...: with that exit code, and no error.
ends() {
    expected=$1
    shift
    run "$@"
    [ "$code" = "$expected" ] || complain "talweg $*: exit $code, not $expected: $(cat "$d/err")"
    ! grep -q 'talweg: error' "$d/err" || complain "talweg $*: an error: $(cat "$d/err")"
}

works demo --data-only --directory "$d/demo" --cases 40 --test-cases 10
data=$d/demo/two_classes.csv

# a Gaussian likelihood: Laplace is exact
ends 0 check "$data" --likelihood gaussian --noise 0.5 --log-ell 0 --log-sigma 0 --against laplace
says out 'Laplace is right: log Z is within 0.1 nats'
says out 'root mean square over all 40'
run check "$data" --likelihood gaussian --noise 0.5 --log-ell 0 --log-sigma 2 --against ep --draws 150
grep -q '^  log Z .* 0\.0   right$' "$d/out" || complain "rounding counts as errors: $(grep 'log Z  ' "$d/out")"

# a broad prior: Laplace is wrong, and JSON says by how much
ends 4 check "$data" --log-ell 0 --log-sigma 3 --against laplace --draws 2000 --json
gives 'r["right"] is False and r["verdict"].startswith("Laplace is wrong: log Z is ") and r["n"] == 40'
gives 'r["log_z"]["verdict"] == "wrong" and abs(r["log_z"]["given"] - r["log_z"]["exact"] - r["log_z"]["difference"]) < 1e-9'
gives '0 < r["log_z"]["se"] <= 0.02 and len(r["latents"]["worst"]) == 10 and r["latents"]["compared"] == 40'
gives 'all(0 < row[q]["se"] < 0.5 for row in r["latents"]["worst"] for q in ("mean", "sd", "q05", "q50", "q95"))'
gives 'r["latents"]["rms_mean"] > 0.3 and r["draws"]["chains"] == 4 and r["seconds_total"] > 0 and r["model"]["cases"] == 40'

# too few draws decide nothing, and say how many would do
ends 5 check "$data" --log-ell 0 --log-sigma 0 --against ep --draws 150
says out 'EP cannot be judged with these draws'
ends 5 check "$data" --log-ell 0 --log-sigma 0 --against ep --draws 150 --json
gives 'r["right"] is None and r["draws_needed"] > 1000 and "about %d draws of each chain would decide" % r["draws_needed"] in r["verdict"]'

# a file: of some latents, and log Z of the command line
printf 'name,mean\nx.2,-50\n' >"$d/claim.csv"
ends 4 check "$data" --log-ell 0 --log-sigma 1 --against "$d/claim.csv" --log-z -1000 --draws 2000 -o "$d/check.html"
says out 'claim.csv is wrong: log Z is '
says out 'most of'
says check.html '<h2>claim.csv is wrong</h2>'
refuses 1 'exists' check "$data" --log-ell 0 --log-sigma 1 --against "$d/claim.csv" -o "$d/check.html"
printf '{"log_z": -5, "log_z_omits": -7.5}' >"$d/claim.json"
ends 4 check "$data" --log-ell 0 --log-sigma 1 --against "$d/claim.json" --json -o "$d/found.json"
gives 'r["log_z"]["given"] == -12.5 and r["draws"] is None and r["latents"]["verdict"] == "not claimed"'
gives 'other("found.json")["log_z"] == r["log_z"]'

# the same to the bit for any number of threads
ends 4 check "$data" --log-ell 0 --log-sigma 1 --against "$d/claim.csv" --draws 2000 --threads 1 --json
cp "$d/out" "$d/first"
ends 4 check "$data" --log-ell 0 --log-sigma 1 --against "$d/claim.csv" --draws 2000 --threads 3 --json
gives 'r["latents"] == other("first")["latents"]'

refuses 1 'cannot be opened' check "$data" --log-ell 0 --against "$d/nowhere.csv"
refuses 1 '(--against needs ep, laplace or a file)' check "$data" --log-ell 0 --against lapl
refuses 1 'nothing to check' check "$data" --log-ell 0 --against "$data"
refuses 1 'must end in .html' check "$data" --against ep -o "$d/check.txt"
refuses 1 'unknown method' check "$data" --against ep --method aiss
refuses 1 'tolerance' check "$data" --against ep --tolerance 0
finish
