#!/bin/sh
# talweg demo, the whole of it: it ends well, also where an earlier demo left its files, and writes to its own
# directory only. (A demo whose predictions went to the working directory once stopped half-way.)
# Usage: tests/cli/demo.sh BUILD
set -u
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
case $talweg in /*) ;; *) talweg=$PWD/$talweg ;; esac
mkdir "$place/folder"

# demo: the whole demo, small, in an empty working directory.
demo() {
    checks=$((checks + 1))
    (cd "$place/folder" && "$talweg" demo --directory mine --cases 20 --test-cases 30) >"$place/out" 2>"$place/err" ||
        complain "talweg demo: exit $?: $(tail -n 1 "$place/err")"
    says out 'Open mine/report.html in a browser'
    [ "$(ls "$place/folder")" = mine ] || complain "talweg demo wrote beside its directory: $(ls "$place/folder")"
}
demo
for file in two_classes.csv predictions.csv approximation_predictions.csv grid_predictions.csv run.nc evidence.nc report.html; do
    [ -s "$place/folder/mine/$file" ] || complain "talweg demo wrote no $file"
done
[ "$(wc -l <"$place/folder/mine/predictions.csv")" = 31 ] || complain "predictions.csv has not a row for each test case"
demo
finish
