#!/bin/sh
# talweg evidence: the JSON of the contract, every method and start on small data, goals, bad input. Usage:
# evidence.sh BUILD. The exact value: with K = 4 I each label has probability 1/2, so log Z = -5 log 2. Seeds are
# fixed; 4.5 standard errors are a false alarm in 150,000 for another seed.
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

printf 'y\n1\n-1\n1\n1\n-1\n' >"$d/labels.csv"
printf '4,0,0,0,0\n0,4,0,0,0\n0,0,4,0,0\n0,0,0,4,0\n0,0,0,0,4\n' >"$d/k.csv"
exact='all(abs(e["log_z"] + 5 * math.log(2)) < 4.5 * e["se"] + 1e-9 for e in r["estimates"])'

# every method, side by side
# shellcheck disable=SC2086 # the options are meant to be split, here and below
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --method ais,ais-reverse,pt,rm --particles 64 --rounds 50 --copies 8 --json
gives '[e["method"] for e in r["estimates"]] == ["ais", "ais-reverse", "stepping-stone", "thermodynamic", "resample-move"]'
gives 'all(e["from"] == "ep" and e["kernel"] == "hmc" and e["seconds"] >= 0 for e in r["estimates"])'
gives 'all(isinstance(e["acceptance"], float) and "weight_ess" in e for e in r["estimates"])'
gives 'isinstance(r["agree"], bool) and r["agree_rule"] and r["verdict"]'
gives "$exact"

# two estimates of one run share its draws: whether they agree is not known
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --method pt --rounds 50 --copies 8 --json
gives 'len(r["estimates"]) == 2 and r["agree"] is None and r["worst_pair"] is None and "share no draws" in r["agree_rule"]'
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --method pt --rounds 50 --copies 8
says out 'share their draws'

# a Gaussian likelihood: the path starts at its posterior, and what differs along it is rounding, of which nothing is said
awk 'BEGIN { print "x,y"; for (i = 0; i < 8; i++) print i / 3 "," sin(i) }' >"$d/real.csv"
works evidence "$d/real.csv" --likelihood gaussian --log-ell 0 --log-sigma 0 --method pt --rounds 40 --copies 8 --json
gives 'all(e["doubt"] is None and abs(e["log_z"] - r["ep"]["log_z"]) < 1e-8 for e in r["estimates"])'

# digits lost in the determinants, which all estimates share: their agreement means nothing, and all are withheld
awk 'BEGIN { print "x,z,y"; for (i = 0; i < 40; i++) print (11 * i) % 40 / 4 - 5 "," (17 * i + 3) % 40 / 4 - 5 "," (7 * i) % 16 / 8 - 1 }' >"$d/huge.csv"
for command in "evidence --particles 64" approx; do
    # shellcheck disable=SC2086
    run $command "$d/huge.csv" --likelihood gaussian --noise 0.25 --kernel 'polynomial(degree=12, sigma=1, offset=1)' --json
    [ "$code" = 2 ] || complain "$command: exit $code where log Z has lost its digits"
    says err 'rounding error of up to'
    gives 'all(e["log_z"] is None for e in r.get("estimates", [r["ep"]]))'
done

# every start and kernel
awk 'BEGIN { print "mean"; for (i = 0; i < 5; i++) print 0.5 * i }' >"$d/mean.csv"
awk 'BEGIN { for (i = 1; i <= 5; i++) for (j = 1; j <= 5; j++) printf "%g%s", i == j ? 3 : 0.5, j < 5 ? "," : "\n" }' \
    >"$d/cov.csv"
# shellcheck disable=SC2086
works approx "$d/labels.csv" --kernel-matrix "$d/k.csv" --save-approx "$d/fit.json"
for start in prior laplace "$d/mean.csv,$d/cov.csv" "$d/fit.json"; do
    # shellcheck disable=SC2086
    works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --from "$start" --particles 200 --temperatures 20 --json
    gives "r['agree'] is True and $exact"
done
for kernel in 'rmhmc --metric hessian' 'rmhmc --metric smoothed' 'hmc --metric identity' 'ess --metric prior'; do
    # shellcheck disable=SC2086
    works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --kernel-method $kernel --method ais --particles 100 --temperatures 10 --json
    gives "r['agree'] is None and r['estimates'][0]['kernel'] == '${kernel%% *}' and $exact"
done
for schedule in geometric sigmoid adaptive; do
    # shellcheck disable=SC2086
    works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --schedule "$schedule" --method ais --particles 100 --json
    gives "r['schedule'] == '$schedule' and $exact"
done

# a Gaussian likelihood: EP is exact, every weight the same, all agree
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --likelihood gaussian --noise 0.5 --particles 16 --temperatures 5 --json
gives 'r["agree"] is True and abs(r["estimates"][0]["log_z"] - r["ep"]["log_z"]) < 1e-9'

# threads never change a result, seeds do
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --particles 40 --temperatures 5 --threads 1 --json
cp "$d/out" "$d/one"
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --particles 40 --temperatures 5 --threads 3 --json
gives 'all(a["log_z"] == b["log_z"] for a, b in zip(r["estimates"], other("one")["estimates"]))'
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --particles 40 --temperatures 5 --seed 2 --json
gives 'all(a["log_z"] != b["log_z"] for a, b in zip(r["estimates"], other("one")["estimates"]))'

# a goal for the error is met, or what it would take is said
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --from prior --schedule linear --temperatures 1 --method ais,rm --particles 100 --until-se 0.05 --json
gives 'all(e["se"] <= 0.05 for e in r["estimates"]) and r["estimates"][0]["particles"] > 100'
# shellcheck disable=SC2086
run evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --from prior --method ais --temperatures 1 --particles 100 --max-particles 300 --until-se 0.001
[ "$code" = 2 ] || complain "a goal that was missed: exit $code"
says err 'which needs about'
says out 'log Z (nats)'

# the table and its words
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --particles 64
says out 'EP corrected'
says out 'ais and ais-reverse'
says out 'joint standard'
# shellcheck disable=SC2086
works evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --particles 64 --method ais
says out 'Agreement is unknown'

# weights that collapse: far too few temperatures from a prior that knows nothing
works demo --data-only --directory "$d/demo" --cases 60 --test-cases 60
run evidence "$d/demo/two_classes.csv" --log-ell 1 --log-sigma 6 --from prior --schedule linear --temperatures 1 \
    --method ais --particles 20 --json
[ "$code" = 2 ] || complain "collapsed weights: exit $code"
says err 'the weights collapsed'
gives 'r["estimates"][0]["weight_ess"] < 2'

# estimates that do not agree, since no transition is accepted: nothing is measured by them
run evidence "$d/demo/two_classes.csv" --log-ell 1 --log-sigma 2 --from prior --schedule linear --temperatures 10 \
    --eps 50 --steps 1 --particles 64
says out 'do NOT agree'
says out 'more --moves'
if grep -q 'of its standard errors' "$d/out"; then complain "approximations were compared with what cannot be trusted"; fi

# slice sampling with EP's Gaussian has a warning in methods that anneal, not in tempering, nor has HMC
for options in 'ais --kernel-method ess' 'rm --kernel-method ess'; do
    # shellcheck disable=SC2086 # the options are meant to be split
    run evidence "$d/demo/two_classes.csv" --log-ell 1 --log-sigma 1 --particles 32 --json --method $options
    gives '"slice_from_ep" in [w["code"] for w in r["warnings"]]'
done
for options in 'ais' 'pt --kernel-method ess --rounds 30' 'ais --kernel-method ess --from prior'; do
    # shellcheck disable=SC2086
    run evidence "$d/demo/two_classes.csv" --log-ell 1 --log-sigma 1 --particles 32 --json --method $options
    gives '"slice_from_ep" not in [w["code"] for w in r["warnings"]]'
done

# ---- files
works evidence "$d/demo/two_classes.csv" --method ais --particles 32 -o "$d/evidence.json" --quiet
cp "$d/evidence.json" "$d/out" && gives 'r["estimates"][0]["method"] == "ais"'
works evidence "$d/demo/two_classes.csv" --method ais --particles 32 -o "$d/evidence.nc" --quiet
refuses 1 'evidence.nc already exists' evidence "$d/demo/two_classes.csv" --quiet -o "$d/evidence.nc"
refuses 1 'the name must end in .nc (the estimates' evidence "$d/demo/two_classes.csv" -o "$d/evidence.csv"
refuses 3 'cannot be written' evidence "$d/demo/two_classes.csv" -o "$d/absent/evidence.nc"

# ---- bad input
printf '0\n0.5\n0.4\n1\n' >"$d/falling.csv"
printf '0.1\n0.5\n1\n' >"$d/late.csv"
printf '0,0.5\n0.7,1\n' >"$d/square.csv"
sed 's/3/0.1/g' "$d/cov.csv" >"$d/indefinite.csv"
head -n 3 "$d/mean.csv" >"$d/short.csv"
bad() {
    expected_words=$1
    shift
    # shellcheck disable=SC2086
    refuses 1 "$expected_words" evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" "$@"
}
bad 'cannot give a standard error: use at least 2' --particles 1
bad 'the temperatures must increase, but number 3 is 0.4 after 0.5' --schedule "$d/falling.csv"
bad 'the temperatures must go from 0 to 1, not from 0.1 to 1' --schedule "$d/late.csv"
bad 'a schedule must be one row or one column' --schedule "$d/square.csv"
bad 'cannot be opened' --schedule "$d/absent.csv"
bad 'positive definite' --from "$d/mean.csv,$d/indefinite.csv"
bad 'the mean has 2 x 1 numbers for 5 cases' --from "$d/short.csv,$d/cov.csv"
bad 'the covariance is 5 x 1 for 5 cases' --from "$d/mean.csv,$d/mean.csv"
bad 'absent.json: cannot be opened' --from "$d/absent.json"
bad 'unknown method "aiss" (did you mean ais?)' --method aiss
bad 'unknown method ""' --method ais,,pt
bad 'the method ais is given twice' --method ais,ais
bad 'the metric hessian cannot be used with hmc' --kernel-method hmc --metric hessian
bad '--beta-min must be from 0 to 1, not 2' --beta-min 2
bad '--until-se must be above 0, not 0' --until-se 0
bad 'unknown kernel-method "nuts"; choose from' --kernel-method nuts
printf 'a,y\n1,1\n2,-1\n3,1\n' >"$d/three.csv"
works approx "$d/three.csv" --save-approx "$d/three.json"
bad 'was made for 3 cases, but there are 5' --from "$d/three.json"

# Ctrl-C before an estimate is complete: there is no result, and it says so
if env --default-signal=INT true 2>/dev/null; then
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    env --default-signal=INT "$talweg" evidence "$d/labels.csv" --kernel-matrix "$d/k.csv" --method ais --temperatures 1000000 >"$d/out" 2>"$d/err" &
    job=$!
    waited=0
    until grep -q '^talweg: ais' "$d/err" || [ "$waited" -ge 3000 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    kill -INT "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" = 3 ] || complain "Ctrl-C: exit $code: $(cat "$d/err")"
    says err 'talweg: error: interrupted before an estimate was complete'
    [ ! -s "$d/out" ] || complain "Ctrl-C: printed something: $(cat "$d/out")"
fi
finish
