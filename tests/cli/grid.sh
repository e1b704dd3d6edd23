#!/bin/sh
# talweg grid: the same numbers as approx and predict give point by point, tables, pictures, bad input. Usage:
# grid.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 50 --test-cases 80
data=$d/demo/two_classes.csv
test=$d/demo/two_classes_test.csv
axes="--log-ell -1:1:3 --log-sigma 0:2:2"

# shellcheck disable=SC2086 # the options are meant to be split, here and below
works grid "$data" $axes --test "$test" --json
gives 'r["shape"] == [3, 2] and len(r["points"]) == 6 and r["unconverged"] == 0'
gives '[p["log_ell"] for p in r["points"]] == [-1, 0, 1] * 2 and r["points"][3]["log_sigma"] == 2'
gives 'r["best"]["ep_corrected"] == max(p["ep_corrected"] for p in r["points"])'
cp "$d/out" "$d/grid"
works approx "$data" --log-ell 0 --log-sigma 2 --save-approx "$d/fit.json" --json
gives 'abs(r["ep"]["log_z"] - other("grid")["points"][4]["ep"]) < 1e-9'
gives 'abs(r["ep_corrected"]["log_z"] - other("grid")["points"][4]["ep_corrected"]) < 1e-9'
works predict "$d/fit.json" "$test" --json
gives 'abs(r["scores"]["information_bits"] - other("grid")["points"][4]["predictive_bits"]) < 1e-9'
gives 'r["scores"]["error_rate"] == other("grid")["points"][4]["error_rate"]'

# a largest value at the edge is one that may be larger beyond
# shellcheck disable=SC2086
works grid "$data" $axes -o "$d/edge.csv"
says out 'log sigma = 2, at the edge of the grid'
works grid "$data" --log-ell -1.5:1.5:7 --log-sigma 1.5:1.5:1 -o "$d/inside.csv"
if grep -q 'the edge' "$d/out"; then complain "a largest value inside called one at the edge"; fi

# a fine row, along which EP starts from the points before, ends where a cold start does
works grid "$data" --log-ell -1:1:17 --log-sigma 2:2:1 --json
cp "$d/out" "$d/row"
works approx "$data" --log-ell 1 --log-sigma 2 --json
gives 'abs(r["ep"]["log_z"] - other("row")["points"][16]["ep"]) < 1e-8'
gives 'abs(r["ep_corrected"]["log_z"] - other("row")["points"][16]["ep_corrected"]) < 1e-5'

# interrupted in the middle of a row and gone on with, the table is the same to the byte
axes_many="--log-ell -1:1:41 --log-sigma 0:4:41"
# shellcheck disable=SC2086
works grid "$data" $axes_many -o "$d/whole.csv"
# shellcheck disable=SC2086
timeout -s INT 0.3 "$talweg" grid "$data" $axes_many -o "$d/parts.csv" --checkpoint "$d/grid.save" --quiet 2>/dev/null || :
if [ -e "$d/grid.save" ]; then
    # shellcheck disable=SC2086
    works grid "$data" $axes_many -o "$d/parts.csv" --resume "$d/grid.save"
fi
# (on a busy machine the signal may come before there is anything to interrupt: then there is nothing to compare)
[ ! -e "$d/parts.csv" ] || cmp -s "$d/whole.csv" "$d/parts.csv" || complain "the table of an interrupted grid differs"

# Monte Carlo beside EP, and the table as CSV, printed or written
for method in ais rm; do
    works grid "$data" --log-ell 0:1:2 --log-sigma 1:1:1 --method "$method" --particles 64 --json
    gives 'all(abs(p["log_z"] - p["ep_corrected"]) < 4.5 * p["se"] + 0.05 for p in r["points"])'
done
# shellcheck disable=SC2086
works grid "$data" $axes
[ "$(head -n 1 "$d/out")" = log_ell,log_sigma,ep,ep_corrected,converged ] || complain "header: $(head -n 1 "$d/out")"
[ "$(wc -l <"$d/out")" = 7 ] || complain "lines of the table"
cp "$d/out" "$d/printed"
# shellcheck disable=SC2086
works grid "$data" $axes -o "$d/table.csv"
says out 'log Z, EP corrected'
cmp -s "$d/printed" "$d/table.csv" || complain "the table written is not the table printed"

# pictures
if command -v gnuplot >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    works grid "$data" $axes --test "$test" -o "$d/t.csv" --plot "$d/it's a.svg"
    grep -q '</svg>' "$d/it's a.svg" || complain "no picture"
    # shellcheck disable=SC2086
    works grid "$data" $axes --plot "$d/grid.png"
    [ -s "$d/grid.png" ] || complain "no PNG"
    refuses 1 'at least two values on each axis' grid "$data" --log-ell 0:0:1 --plot "$d/p.svg"
else
    refuses 1 'package gnuplot-nox' grid "$data" --plot "$d/p.svg"
fi

# ---- bad input
refuses 1 '--log-ell needs A:B:N' grid "$data" --log-ell 1
refuses 1 'not "0:1:2.5"' grid "$data" --log-ell 0:1:2.5
refuses 1 'not "1:0:3"' grid "$data" --log-sigma 1:0:3
refuses 1 'not "0:1:3x"' grid "$data" --log-sigma 0:1:3x
refuses 1 'not "0:inf:3"' grid "$data" --log-sigma 0:inf:3
refuses 1 "the name must end in .svg or .png" grid "$data" --plot "$d/p.pdf"
refuses 1 'cannot be opened' grid "$data" --test "$d/absent.csv"
refuses 1 'table.csv already exists' grid "$data" -o "$d/table.csv"
refuses 1 'has no option "--kernel-matrix"' grid "$data" --kernel-matrix "$d/k.csv"
refuses 1 'unknown method "pt"' grid "$data" --method pt
# any two parameters of a kernel, in natural units or as logarithms: the same numbers as with --log-ell and --log-sigma
works grid "$data" --log-ell 0:0.5:2 --log-sigma 0:1:2
sed 1d "$d/out" | cut -d, -f3- >"$d/usual"
for axis in 'log_ell=0:0.5:2' "ell=1:$(awk 'BEGIN { printf "%.17g", exp(0.5) }'):2"; do
    works grid "$data" --axis "$axis" --axis log_sigma=0:1:2
    sed 1d "$d/out" | cut -d, -f3- | cut -c1-10 >"$d/other"
    cut -c1-10 "$d/usual" | cmp -s - "$d/other" || complain "--axis $axis gives other numbers"
done
works grid "$data" --kernel 'se(1) + linear(2)' --axis se.ell=1:2:2 --axis linear.log_sigma=-1:1:3
says out 'se.ell,linear.log_sigma,ep'
refuses 1 'a grid has two axes: give --axis twice, not 1 time' grid "$data" --axis ell=1:2:2
refuses 1 'both axes are ell' grid "$data" --axis ell=1:2:2 --axis log_ell=0:1:2
refuses 1 'the kernel has no parameter ellipse; it has ell, sigma' grid "$data" --axis ellipse=1:2:2 --axis ell=1:2:2
refuses 1 '--axis ell=0:2:2: ell must be above 0' grid "$data" --axis ell=0:2:2 --axis sigma=1:2:2
refuses 1 '--axis needs NAME=A:B:N' grid "$data" --axis 1:2:2 --axis sigma=1:2:2

finish
