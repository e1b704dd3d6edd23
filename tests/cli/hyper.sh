#!/bin/sh
# Unknown parameters: the evidence of the whole model, draws of parameters and latents, predictions averaged over both, JSON and
# files, and what is refused. Usage: hyper.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 40 --test-cases 20
data=$d/demo/two_classes.csv

# evidence: every parameter with a prior is integrated out
works evidence "$data" --prior 'log_ell ~ normal(0, 1)' --prior 'sigma ~ gamma(2, 1)' --points 64 --json -o "$d/e.nc"
gives '[e["method"] for e in r["estimates"]] == ["is2", "ais-joint"] and all(e["whole_model"] for e in r["estimates"])'
gives 'r["agree"] is True and r["worst_pair"] < 4'
gives '-40 < r["estimates"][0]["log_z"] < 0 and 0 < r["estimates"][0]["se"] < 1'
gives '[t["name"] for t in r["theta"]] == ["log_ell", "sigma"] and all(t["rhat"] is None for t in r["theta"])'
gives 'all(t["q05"] < t["q50"] < t["q95"] and 0 < t["mcse"] < t["sd"] for t in r["theta"])'
gives 'r["theta"][1]["prior"] == "sigma ~ gamma(2, 1)" and 2 < r["theta"][0]["ess_bulk"] <= 64'
gives 'r["importance_sampling"]["started_from"] == {"ep": 64, "laplace": 0, "prior": 0, "failed": 0} and r["warnings"] == []'
works report "$d/e.nc" -o "$d/e.html"
grep -q is2 "$d/e.html" || complain "the page has no is2"

# the table
works evidence "$data" --prior default --points 64 --threads 1
says out 'whole model'
says out 'is2 and ais-joint agree'
says out 'log_sigma'
says out '2 of 2 parameters unknown'

# a parameter without a prior stays, and one that was not given is warned of
works evidence "$data" --prior 'log_ell ~ normal(0, 1)' --points 64 --json
gives 'len(r["theta"]) == 1 and [w["code"] for w in r["warnings"]] == ["default_parameters"]'
works evidence "$data" --prior 'log_ell ~ normal(0, 1)' --fix sigma=2 --points 64 --json
gives 'len(r["theta"]) == 1 and r["warnings"] == [] and r["model"]["parameters"]["sigma"] == 2'

# a value of the likelihood that was given is fixed, which may not have been meant
works evidence "$data" --likelihood gaussian --noise 50 --prior default --points 64
[ "$(grep -c 'note: noise is fixed at 50' "$d/err")" = 1 ] || complain "of a fixed noise: $(cat "$d/err")"
for more in '--fix noise' '--quiet'; do
    # shellcheck disable=SC2086
    works evidence "$data" --likelihood gaussian --noise 50 $more --prior default --points 64
    ! grep -q 'is fixed at' "$d/err" || complain "$more: $(cat "$d/err")"
done

# a model file with priors is obeyed
works model "$data" --prior default -o "$d/m.json"
works evidence --model "$d/m.json" --points 64 --json
gives 'len(r["theta"]) == 2 and r["estimates"][0]["whole_model"] is True'

# an estimate is doubted exactly if there is a warning: with 64 weights from k = 0.45 on, not from 0.7
for seed in 1 2 3; do
    works evidence --model "$d/m.json" --points 64 --seed $seed --json
    gives '(r["estimates"][0]["doubt"] is not None) == any(w["code"].startswith("theta_") for w in r["warnings"])'
done

# sample: draws of the parameters and the latents; no chains, so no R-hat, and the ESS is that of the weights
works sample --model "$d/m.json" --points 128 --json -o "$d/run.nc"
gives '(r["method"], r["chains"], r["draws"], r["rhat_max"]) == ("is2", 1, 128, None) and r["warnings"] == []'
gives '[t["name"] for t in r["theta"]] == ["log_ell", "log_sigma"] and all(t["rhat"] is None for t in r["theta"])'
gives 'r["theta"][0]["ess_bulk"] == r["ess_bulk"]["min"] == r["estimates"][0]["weight_ess"] and r["pareto_k"] < 1'
works sample --model "$d/m.json" --points 64 --threads 1 --json
gives 'r["estimates"][0]["whole_model"] is True and r["importance_sampling"]["points"] == 64'
works summary "$d/run.nc" --json
gives 'r["rows"]["log_ell"]["rhat"] is None and 2 < r["rows"]["log_ell"]["ess_bulk"] <= 128'
gives 'r["rows"]["x.1"]["ess_bulk"] == r["rows"]["log_ell"]["ess_bulk"] and r["rows"]["x.1"]["rhat"] is None'
works summary "$d/run.nc"
says out 'log_sigma'
says out 'effective number of 128 weighted points'
works predict "$d/run.nc" "$d/demo/two_classes_test.csv" --json
gives 'len(r["predictions"]["mcse"]) == 20 and all(0 < m < 0.2 for m in r["predictions"]["mcse"])'
gives '-1 < r["scores"]["log_score_nats"] < 0 < r["scores"]["log_score_nats_mcse"] < 0.1'
works predict "$d/run.nc" "$d/demo/two_classes_test.csv" -o /dev/stdout
says out 'averaged over 128 draws of the parameters and latents'

# predict from the model file itself: it makes the draws that sample makes
works sample --model "$d/m.json" -o "$d/whole.nc"
works predict "$d/whole.nc" "$d/demo/two_classes_test.csv" -o "$d/from_run.csv"
works predict "$d/m.json" "$d/demo/two_classes_test.csv" -o "$d/from_model.csv"
says out 'averaged over 512 draws of the parameters and latents'
cmp "$d/from_run.csv" "$d/from_model.csv" || complain "the predictions of a model are not those of its run"
refuses 1 'nowhere.csv' predict "$d/m.json" "$d/nowhere.csv" -o "$d/no.csv"
refuses 1 'known parameters' predict "$d/m.json" "$d/demo/two_classes_test.csv" --joint "$d/joint.csv" -o "$d/no.csv"
works model "$data" --log-ell 0 --log-sigma 1 -o "$d/known.json"
works sample --model "$d/known.json" -o "$d/known.nc"
works predict "$d/known.nc" "$d/demo/two_classes_test.csv" -o "$d/known_run.csv"
works predict "$d/known.json" "$d/demo/two_classes_test.csv" --joint "$d/joint.csv" -o "$d/known_model.csv"
cmp "$d/known_run.csv" "$d/known_model.csv" || complain "the predictions of a model at known values are not those of its run"
works report "$d/run.nc" --test "$d/demo/two_classes_test.csv" -o "$d/run.html"
grep -q 'Prior and posterior of log_sigma' "$d/run.html" || complain "the page has no picture of log_sigma"
grep -q 'whose correlation is' "$d/run.html" || complain "the page has no picture of pairs"
grep -q 'draws of parameters and latents\. ' "$d/run.html" || complain "the page speaks of a chain where there is none"
grep -q 'unknown parameters' "$d/run.html" || complain "the page says nothing of unknown parameters"
grep -q 'leapfrog step' "$d/run.html" && grep -q 'step size nan' "$d/run.html" && complain "the page has a step size"
works sample "$data" --prior 'ell ~ gamma(2, 1)' --points 64 -o "$d/draws.csv"
says err 'talweg fit' # sigma has neither a prior nor a value
[ "$(head -1 "$d/draws.csv" | cut -d, -f1-5)" = draw,point,lp,ell,x.1 ] || complain "draws.csv has other columns"
[ "$(wc -l <"$d/draws.csv")" -eq 65 ] || complain "draws.csv has another number of draws"
works sample --model "$d/m.json" --fix all --chains 2 --warmup 50 --draws 50 --json
gives 'r["chains"] == 2 and "theta" not in r'
works sample --model "$d/m.json" --hyper-method chain --points 64 --json -o "$d/chain.nc"
gives 'r["method"] == "chain" and r["estimates"] == [] and all(t["rhat"] < 2 for t in r["theta"]) and r["rhat_max"] >= 1'
works summary "$d/chain.nc"
says out 'draws of chains'
works predict "$d/chain.nc" "$d/demo/two_classes_test.csv" --json
works report "$d/chain.nc" -o "$d/chain.html"
refuses 1 'cannot estimate the evidence' evidence --model "$d/m.json" --hyper-method chain
refuses 1 'no checkpoints' sample --model "$d/m.json" --hyper-method chain --checkpoint "$d/state"
refuses 1 'for draws from weighted points, or --hyper-method chain' sample --model "$d/m.json" --draws 100
refuses 1 'for draws from weighted points, or --hyper-method chain' sample --model "$d/m.json" --method hmc
refuses 1 'chain has 16 chains' sample --model "$d/m.json" --hyper-method chain --chains 4
refuses 1 'cannot be used with unknown parameters' sample --model "$d/m.json" --stan-csv "$d/stan"
works sample --model "$d/m.json" --points 64 --checkpoint "$d/state" -o "$d/new.nc"
[ ! -e "$d/state" ] || complain "the checkpoint of a run that is complete is left"
works sample --model "$d/m.json" --points 64 --seed 2 -o "$d/other.nc"
refuses 1 'cannot be combined' summary "$d/run.nc" "$d/other.nc"
refuses 1 'cannot be combined' merge "$d/run.nc" "$d/other.nc" -o "$d/merged.nc"

# compare: models side by side
works model "$data" --kernel matern32 -o "$d/other.json"
works compare "$d/m.json" "$d/other.json" --points 64 --json
gives '[m["file"][-6:] for m in r["models"]] == ["m.json", "r.json"] and r["best"] in [m["file"] for m in r["models"]]'
gives 'all((m["loo"] is None) == (m["loo_se"] is None) and (m["loo"] is None or m["loo"] < 0 < m["loo_se"]) and m["se"] > 0 and len(m["theta"]) == 2 for m in r["models"])'
gives 'len(r["bayes_factors"]) == 1 and r["bayes_factors"][0]["log_bayes_factor"] >= 0 and r["bayes_factors"][0]["se"] > 0'
gives 'abs(r["bayes_factors"][0]["log_bayes_factor"] - abs(r["models"][0]["log_z"] - r["models"][1]["log_z"])) < 1e-12'
gives 'r["bayes_factors"][0]["told_apart"] in ("yes", "no", "weakly", "unsure") and "largest evidence" in r["verdict"]'
works model "$data" --prior 'ell ~ half_t(1, 1)' --prior 'sigma ~ half_t(1, 1)' -o "$d/wide.json"
works compare "$d/m.json" "$d/wide.json" --points 64 --json
gives 'any(w["code"] == "theta_mean" and w["message"].startswith(r["models"][1]["file"] + ": ") for w in r["warnings"])'
gives 'all(w["message"].startswith(tuple(m["file"] + ": " for m in r["models"])) for w in r["warnings"])'
says err "wide.json: the prior of sigma has infinite variance"
works compare "$d/m.json" "$d/other.json" --points 64 --point-particles 4
says out 'log factor'
says out 'has the largest evidence'
works demo --data-only --directory "$d/small" --cases 30 --test-cases 10
works model "$d/small/two_classes.csv" --prior default -o "$d/small.json"
works model "$data" --fix ell=1 --fix sigma=1 -o "$d/fixed.json"
refuses 1 'have different observations' compare "$d/m.json" "$d/small.json"
refuses 1 'no parameter is unknown' compare "$d/m.json" "$d/fixed.json" --points 64
refuses 1 'talweg compare needs at least two model files' compare "$d/m.json"
refuses 1 'none.json' compare "$d/m.json" "$d/none.json"

# weights that collapsed are no result: that is said once, and nothing agrees with them
works demo --data-only --directory "$d/many" --cases 150 --test-cases 10
run evidence "$d/many/two_classes.csv" --prior 'log_ell ~ normal(0, 0.1)' --prior 'log_sigma ~ normal(12, 0.1)' --points 64 --point-particles 1 --point-temperatures 1
[ "$code" = 2 ] || complain "collapsed weights: exit $code"
[ "$(grep -c 'weights of the parameters collapsed' "$d/err")" = 1 ] || complain "collapsed weights are not said once: $(cat "$d/err")"
if grep -q 'agree' "$d/out"; then complain "collapsed weights agree with something"; fi
grep -q 'is2  *withheld  *nan' "$d/out" || complain "a number of collapsed weights: $(cat "$d/out")"
run evidence "$data" --prior 'log_ell ~ normal(-8, 1)' --prior 'log_sigma ~ normal(14, 1)' --points 64 --point-particles 1 --point-temperatures 1
says out 'do NOT agree'
says err 'is2 and ais-joint do not agree'

refuses 1 'flat and improper' evidence "$data" --prior 'log_ell ~ uniform' --fix sigma=1
refuses 1 'no parameter is unknown' evidence "$data" --prior default --log-ell 1 --log-sigma 1
refuses 1 'cannot be used with unknown parameters, whose methods are' evidence "$data" --prior default --method ais
refuses 1 'unknown parameter' evidence "$data" --prior 'elk ~ normal(0, 1)'

# an infinite evidence is refused, and says why
printf 'x,y\n0,1\n0,1\n1,2\n1,2\n2,0\n' >"$d/twice.csv"
set -- "$d/twice.csv" --quiet --likelihood gaussian --prior 'noise ~ half_normal(1)' --prior 'log_ell ~ normal(0, 1)' --fix sigma=1
refuses 2 'evidence of the whole model is infinite' evidence "$@"
refuses 2 'evidence of the whole model is infinite' sample "$@" -o "$d/twice.nc"
finish
