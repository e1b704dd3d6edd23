#!/bin/sh
# talweg evidence --method pt where it is hard: what it says is right, within 4.5 of its standard errors (one run in
# 150,000 is not), or it says that it is to be doubted. Usage: tempering.sh BUILD. K = a 11' + b I, and log Z by quadrature
# over the common factor (tests/support/exact.c).
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# equicorrelated NAME N A B: K as $d/NAME.csv
equicorrelated() {
    awk -v n="$2" -v a="$3" -v b="$4" 'BEGIN {
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) printf "%.17g%s", a + (i == j ? b : 0), j < n ? "," : "\n" }' \
        >"$d/$1.csv"
}
right_or_doubted() {
    gives "all(e['doubt'] or abs(e['log_z'] - $1) < 4.5 * e['se'] for e in r['estimates'])"
    gives "all(e['doubt'] is None or isinstance(e['doubt'], str) for e in r['estimates'])"
}

# Labels under a broad prior: two estimates of the same draws do not agree, they err together; a run that has not
# forgotten its start, or whose replicas do not travel, says so.
printf 'y\n' >"$d/labels.csv"
printf '1\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 >>"$d/labels.csv"
printf '%s\n' -1 -1 -1 -1 -1 >>"$d/labels.csv"
equicorrelated broad 20 130203.83313520313 32550.958283800783
works evidence "$d/labels.csv" --kernel-matrix "$d/broad.csv" --method pt --from prior --kernel-method ess --rounds 60 \
    --seed 1 --json
gives 'r["agree"] is None'
gives 'r["parallel_tempering"]["round_trips"] > 0 or all(e["doubt"] for e in r["estimates"])'
right_or_doubted -13.194420
# without a warm-up that is long enough for anything to travel there is a doubt, in words too
run evidence "$d/labels.csv" --kernel-matrix "$d/broad.csv" --method pt --from prior --kernel-method ess --rounds 30 \
    --temperatures 100 --copies 8
says out 'replicas do not travel'

# Counts: one draw with a log ratio of -1e6 does not spoil the bridge, and nothing is said about weights.
printf 'y\n0\n0\n0\n0\n0\n0\n0\n1\n1\n2\n' >"$d/counts.csv"
equicorrelated three 10 201.71439674636756 201.71439674636756
equicorrelated four 10 1490.4789935208642 1490.4789935208642
for start in 'prior --kernel-method ess' ep; do
    for seed in 1 2; do
        # shellcheck disable=SC2086 # the options are meant to be split
        works evidence "$d/counts.csv" --likelihood poisson --kernel-matrix "$d/four.csv" --method pt --from $start \
            --rounds 60 --seed $seed --json
        gives 'math.isfinite(r["estimates"][0]["log_z"]) and math.isfinite(r["estimates"][0]["se"])'
        right_or_doubted -18.343244
        if grep -q collapsed "$d/err"; then complain "collapsed weights of a method that has none"; fi
    done
done

# Thermodynamic integration from the prior: right, or doubted, or withheld.
run evidence "$d/counts.csv" --likelihood poisson --kernel-matrix "$d/three.csv" --method pt --from prior --rounds 60 \
    --copies 8 --seed 2 --json
right_or_doubted -15.405557
gives 'all(e["log_z"] is None or abs(e["log_z"]) < 1000 for e in r["estimates"])'
finish
