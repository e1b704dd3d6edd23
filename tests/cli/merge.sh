#!/bin/sh
# talweg merge: the chains of several runs in one file have the summary that the files have together; what does not belong
# together is refused. Usage: merge.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
works demo --data-only --directory "$d/demo" --cases 40 --test-cases 5
data=$d/demo/two_classes.csv
for seed in 1 2 3; do
    works sample "$data" --log-sigma 1 --method hmc --chains 3 --warmup 40 --draws 50 --seed $seed --quiet -o "$d/run.$seed.nc"
done
works merge "$d/run.1.nc" "$d/run.2.nc" "$d/run.3.nc" -o "$d/all.nc" --json
gives 'r["chains"] == 9 and r["draws"] == 50 and len(r["files"]["read"]) == 3'
works summary "$d/run.1.nc" "$d/run.2.nc" "$d/run.3.nc" --csv "$d/apart.csv" --quiet --no-warnings
works summary "$d/all.nc" --csv "$d/together.csv" --quiet --no-warnings
# all but the step sizes, which the runs tuned for themselves
grep -v stepsize__ "$d/apart.csv" >"$d/a"
grep -v stepsize__ "$d/together.csv" | cmp -s - "$d/a" || complain "the merged file has another summary than its parts"
[ ! -e "$d/all.nc.journal" ] || complain "the journal is left"
works predict "$d/all.nc" "$d/demo/two_classes_test.csv" -o "$d/predictions.csv" --quiet --no-warnings

refuses 1 "all.nc already exists" merge "$d/run.1.nc" "$d/run.2.nc" -o "$d/all.nc"
refuses 1 "have the same seed 1" merge "$d/run.1.nc" "$d/run.1.nc" -o "$d/new.nc"
refuses 1 "have a chain in common" merge "$d/all.nc" "$d/run.2.nc" -o "$d/new.nc"
refuses 1 "name the same file" merge "$d/run.1.nc" "$d/run.2.nc" -o "$d/run.1.nc" --force
refuses 1 "talweg merge needs an output file: -o ALL.nc" merge "$d/run.1.nc" "$d/run.2.nc"
works sample "$data" --log-sigma 2 --method hmc --chains 3 --warmup 40 --draws 50 --seed 4 --quiet -o "$d/other.nc"
refuses 1 "differ in" merge "$d/run.1.nc" "$d/other.nc" -o "$d/new.nc"
[ ! -e "$d/new.nc" ] || complain "a refused merge left a file"
finish
