#!/bin/sh
# Unknown parameters: the evidence of the whole model, its JSON and its files, and what is refused. Usage: hyper.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 40 --test-cases 20
data=$d/demo/two_classes.csv

# evidence: every parameter with a prior is integrated out
works evidence "$data" --prior 'log_ell ~ normal(0, 1)' --prior 'sigma ~ gamma(2, 1)' --points 64 --json -o "$d/e.nc"
gives 'r["estimates"][0]["method"] == "is2" and r["estimates"][0]["whole_model"] is True and r["agree"] is None'
gives '-40 < r["estimates"][0]["log_z"] < 0 and 0 < r["estimates"][0]["se"] < 1'
gives '[t["name"] for t in r["theta"]] == ["log_ell", "sigma"] and all(t["rhat"] is None for t in r["theta"])'
gives 'all(t["q05"] < t["q50"] < t["q95"] and 0 < t["mcse"] < t["sd"] for t in r["theta"])'
gives 'r["theta"][1]["prior"] == "sigma ~ gamma(2, 1)" and 2 < r["theta"][0]["ess_bulk"] <= 64'
gives 'r["importance_sampling"]["started_from"] == {"ep": 64, "laplace": 0, "prior": 0, "failed": 0} and r["warnings"] == []'
works report "$d/e.nc" -o "$d/e.html"
grep -q is2 "$d/e.html" || complain "the page has no is2"

# the table
works evidence "$data" --prior default --points 32 --threads 1
says out 'whole model'
says out 'log_sigma'
says out '2 of 2 parameters unknown'

# a parameter without a prior stays, and one that nobody gave is warned of
works evidence "$data" --prior 'log_ell ~ normal(0, 1)' --points 32 --json
gives 'len(r["theta"]) == 1 and [w["code"] for w in r["warnings"]] == ["default_parameters"]'
works evidence "$data" --prior 'log_ell ~ normal(0, 1)' --fix sigma=2 --points 32 --json
gives 'len(r["theta"]) == 1 and r["warnings"] == [] and r["model"]["parameters"]["sigma"] == 2'

# a model file with priors is obeyed
works model "$data" --prior default -o "$d/m.json"
works evidence --model "$d/m.json" --points 32 --json
gives 'len(r["theta"]) == 2 and r["estimates"][0]["whole_model"] is True'

refuses 1 'flat, which is no distribution' evidence "$data" --prior 'log_ell ~ uniform' --fix sigma=1
refuses 1 'no parameter is unknown' evidence "$data" --prior default --log-ell 1 --log-sigma 1
refuses 1 'has one method' evidence "$data" --prior default --method ais
refuses 1 'has no checkpoints' evidence "$data" --prior default --checkpoint "$d/state"
refuses 1 'there is no parameter' evidence "$data" --prior 'elk ~ normal(0, 1)'
finish
