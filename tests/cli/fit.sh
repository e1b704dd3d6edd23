#!/bin/sh
# talweg fit and talweg model: the JSON of the contract, priors, what is fixed, and model files in every command. Usage: fit.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 60 --test-cases 100
data=$d/demo/two_classes.csv test=$d/demo/two_classes_test.csv

works fit "$data" --prior default --json
gives '[p["name"] for p in r["parameters"]] == ["log_ell", "log_sigma"] and r["converged"] is True'
gives 'all(p["sd"] > 0 and p["prior"].startswith(p["name"] + " ~ normal(") for p in r["parameters"])'
gives 'all(abs(math.exp(p["value"]) - p["natural"]) < 1e-12 for p in r["parameters"])'
gives 'r["log_posterior"] < r["log_z"] < 0 and r["evaluations"] >= 8 and r["starts"] == 8 and 1 <= r["starts_at_best"] <= 8 and r["seconds"] >= 0'
gives 'r["warnings"] == [] and len(r["optima"]) >= 1'

# a prior of the value is reported as the value; what is fixed stays, and has no sd
works fit "$data" --prior 'ell ~ gamma(2, 2)' --fix log_sigma=0.5 --json
gives '[p["name"] for p in r["parameters"]] == ["ell", "log_sigma"] and r["parameters"][1]["value"] == 0.5'
gives 'r["parameters"][1]["fixed"] is True and r["parameters"][1]["sd"] is None and r["parameters"][0]["sd"] > 0'
gives 'r["parameters"][0]["prior"] == "ell ~ gamma(2, 2)"'

# a uniform prior has ends: the search stays between them, and says where it stopped
works fit "$data" --prior 'log_ell ~ uniform(-2, 5)' --prior 'log_sigma ~ uniform(-3, -1)' --json
gives 'r["evaluations"] < 80 and abs(r["parameters"][1]["value"] + 1) < 0.01 and len(r["optima"]) == 1'
gives '[w["code"] for w in r["warnings"]] == ["fit_prior_end"] and "give a wider --prior" in r["warnings"][0]["message"]'

# one that begins at 0 too
works fit "$data" --prior 'sigma ~ uniform(0, 100)' --prior 'log_ell ~ normal(0, 1)' --json
gives '1 < r["parameters"][1]["value"] <= 100'

# --prior default: a typed value is where the search starts, and neither takes away its prior nor moves another
works fit "$data" --likelihood gaussian --prior default --json
cp "$d/out" "$d/untyped.json"
works fit "$data" --likelihood gaussian --noise 50 --prior default --json
gives '[p["prior"] for p in r["parameters"]] == [p["prior"] for p in other("untyped.json")["parameters"]]'
gives 'None not in [p["prior"] for p in r["parameters"]]'

# the likelihood's parameters too; and the table
works demo --data-only --directory "$d/other" --cases 40 --test-cases 10
works fit "$data" --likelihood gaussian --noise 0.5 --starts 1
says out 'log_noise'
says out 'log Z (EP)'
says out 'verdict          a maximum'
works fit "$data" --method laplace --starts 1 --prior default
says out 'log Z (Laplace)'

# a model file: written by fit, taken by the others, typed options have the last word
works fit "$data" --standardise --prior default --seed 3 -o "$d/fitted.json"
refuses 1 'exists' fit "$data" --prior default -o "$d/fitted.json"
works approx --model "$d/fitted.json" --json
gives 'r["warnings"] == [] and r["n"] == 60'
cp "$d/out" "$d/from_file"
works model --model "$d/fitted.json" -o "$d/again.json"
cmp -s "$d/fitted.json" "$d/again.json" || complain "a model file that is read and written is another"
works approx "$d/other/two_classes.csv" --model "$d/fitted.json" --json
gives 'r["n"] == 40'
works approx --model "$d/fitted.json" --likelihood logit --json
gives 'r["likelihood"] == "logit"'
works sample --model "$d/fitted.json" --fix all --chains 2 --warmup 50 --draws 50 --json -o "$d/run.nc"
gives '[w for w in r["warnings"] if w["code"] == "default_parameters"] == []'
works predict "$d/run.nc" "$test" --json
works evidence --model "$d/fitted.json" --particles 32 --temperatures 20 --json
works grid --model "$d/fitted.json" --kernel se --log-ell 0:1:2 --log-sigma 0:1:2
works selftest --model "$d/fitted.json"

# beside the model file
mkdir "$d/place"
cp "$data" "$d/place/here.csv"
absolute=$(cd "$build" && pwd)/talweg
(cd "$d/place" && "$absolute" model here.csv --log-ell 0 --log-sigma 1 -o m.json)
works approx --model "$d/place/m.json"
works model "$data" --kernel 'se(ard)' --prior 'log_ell ~ normal(0, 1)' --fix sigma=2
gives 'r["fixed"] == ["sigma"] and r["priors"] == ["log_ell.1 ~ normal(0, 1)", "log_ell.2 ~ normal(0, 1)"]'
gives 'r["options"]["kernel"] == "se(x1, x2, ard, log_sigma=0.6931471805599453)" and r["data"].endswith("two_classes.csv")'

# whichever way parameters were typed; and a length for each input goes with the input's name, wherever that stands
awk -F, -v OFS=, '{ print $2, $1, $3 }' "$data" >"$d/swapped.csv"
for given in '--ell 1,4 --sigma 2' '--log-ell 0,1.4 --log-sigma 0.7'; do
    # shellcheck disable=SC2086 # several words
    works model "$data" $given -o "$d/lengths.json" --force
    works approx --model "$d/lengths.json" --json
    cp "$d/out" "$d/straight"
    works approx "$d/swapped.csv" --model "$d/lengths.json" --json
    "$python" - "$d/straight" "$d/out" <<'EOF' || complain "a model file means another model where columns are in another order ($given)"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
sys.exit(abs(a["ep"]["log_z"] - b["ep"]["log_z"]) > 1e-9 * abs(a["ep"]["log_z"]))
EOF
done

# what is wrong is said
refuses 1 'unknown parameter "el" (did you mean ell?)' fit "$data" --prior 'el ~ gamma(1, 1)'
refuses 1 '--prior: "ell" is not a prior' fit "$data" --prior ell
refuses 1 '--fix: "two" is not a number' fit "$data" --fix ell=two
refuses 1 'there is nothing to fit' fit "$data" --fix ell --fix sigma
refuses 1 'has two priors' fit "$data" --prior 'ell ~ gamma(1, 1)' --prior 'log_ell ~ normal(0, 1)'
refuses 1 'cannot be opened' approx --model "$d/absent.json"
refuses 1 'not a model file' approx --model "$data"
echo '{"format": "talweg model", "version": 2, "options": {}}' >"$d/bad.json"
refuses 1 '"version" is not 1' approx --model "$d/bad.json"
echo '{"format": "talweg model", "version": 1, "options": {"output": "x"}}' >"$d/bad.json"
refuses 1 'options.output' approx --model "$d/bad.json"
echo '{"format": "talweg model", "version": 1, "options": {"kernel": "see"}}' >"$d/bad.json"
refuses 1 'did you mean se?' approx "$data" --model "$d/bad.json"
echo '{"format": "talweg model", "version": 1, "options": {}}' >"$d/bad.json"
refuses 1 'DATA' approx --model "$d/bad.json"
# a parameter that is fixed has no use for the prior of the file
works fit "$data" --prior 'log_ell ~ normal(0, 1)' --prior 'log_sigma ~ normal(0, 1)' -o "$d/both.json" --quiet
works evidence --model "$d/both.json" --fix ell --fix log_sigma --method ais --particles 16 --temperatures 4 --json --quiet
gives 'r["estimates"][0]["method"] == "ais"'

# a model file takes the data beside it, not those of that name where the command runs
mkdir "$d/a" "$d/b"
printf 'x,y\n0,1\n1,-1\n2,1\n' >"$d/a/people.csv"
printf 'x,y\n0,1\n1,1\n2,1\n3,1\n' >"$d/b/people.csv"
program=$(cd "$(dirname "$talweg")" && pwd)/talweg
(cd "$d/a" && "$program" model people.csv --log-ell 0 --log-sigma 0 -o m.json >/dev/null 2>&1)
place_a=$(cd "$d/a" && pwd)
checks=$((checks + 1))
(cd "$d/b" && "$program" approx --model "$place_a/m.json" --json --quiet) >"$d/out" 2>"$d/err" || complain "a model of another folder: $(cat "$d/err")"
gives 'r["n"] == 3'

finish
