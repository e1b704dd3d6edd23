#!/bin/sh
# --precision-matrix and --design-matrix: the same numbers as dense covariances, in every command, and what is refused.
# Usage: precision.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
"$talweg" --version | grep -q AMD || { echo "skipped: this build orders no sparse matrices"; exit 77; }

# Q = tridiagonal(-1, 2, -1), Q^-1 = [3 2 1; 2 4 2; 1 2 3]/4; A = [1 0 0; 0 1 0; 0 0 1; .5 .5 0]
market() { printf '%%%%MatrixMarket matrix coordinate real %s\n' "$@"; }
{ market symmetric; printf '3 3 5\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n3 2 -1\n'; } >"$d/Q.mtx"
{ market general; printf '4 3 5\n1 1 1\n2 2 1\n3 3 1\n4 1 .5\n4 2 .5\n'; } >"$d/A.mtx"
printf '.75,.5,.25\n.5,1,.5\n.25,.5,.75\n' >"$d/K.csv"
printf '.75,.5,.25,.625\n.5,1,.5,.75\n.25,.5,.75,.375\n.625,.75,.375,.6875\n' >"$d/K4.csv"
printf 'y\n3\n0\n7\n' >"$d/y.csv"
printf 'y\n3\n0\n7\n2\n' >"$d/y4.csv"

works approx "$d/y.csv" --likelihood poisson --kernel-matrix "$d/K.csv" --json
cp "$d/out" "$d/dense.json"
works approx "$d/y.csv" --likelihood poisson --precision-matrix "$d/Q.mtx" --json
gives 'abs(r["laplace"]["log_z"] - other("dense.json")["laplace"]["log_z"]) < 1e-10'
gives 'abs(r["ep"]["log_z"] - other("dense.json")["ep"]["log_z"]) < 1e-6' # both stop at changes of sites of 1e-6
works approx "$d/y4.csv" --likelihood poisson --kernel-matrix "$d/K4.csv" --json
cp "$d/out" "$d/dense.json"
works approx "$d/y4.csv" --likelihood poisson --precision-matrix "$d/Q.mtx" --design-matrix "$d/A.mtx" --json
gives 'abs(r["laplace"]["log_z"] - other("dense.json")["laplace"]["log_z"]) < 1e-10'

# a model file names the matrices, relative to itself; files of runs and of approximations name them, too
works model "$d/y4.csv" --likelihood poisson --precision-matrix "$d/Q.mtx" --design-matrix "$d/A.mtx" -o "$d/m.json"
works sample --model "$d/m.json" --chains 2 --warmup 20 --draws 20 -o "$d/run.nc" --quiet
works summary "$d/run.nc"
works report "$d/run.nc" -o "$d/report.html" --quiet
works approx --model "$d/m.json" --save-approx "$d/fit.json" --quiet
works evidence --model "$d/m.json" --method ais,pt --particles 32 --temperatures 8 --quiet

# intrinsic priors on three neighbours in a row: K = pinv([1 -1 0; -1 2 -1; 0 -1 1]) = [5 -1 -4; -1 2 -1; -4 -1 5]/9
awk 'BEGIN { f = "%.17g,%.17g,%.17g\n"; printf f, 5/9, -1/9, -4/9; printf f, -1/9, 2/9, -1/9; printf f, -4/9, -1/9, 5/9 }' >"$d/walk.csv"
printf '3\n1 1 2\n2 2 1 3\n3 1 2\n' >"$d/row.graph"
printf 't,y\n1,3\n2,0\n3,7\n' >"$d/t.csv"
works approx "$d/y.csv" --likelihood poisson --kernel-matrix "$d/walk.csv" --json --quiet
cp "$d/out" "$d/dense.json"
for kernel in 'rw1(t, sigma=1)' "icar(t, graph=\"$d/row.graph\", sigma=1)"; do
    works approx "$d/t.csv" --likelihood poisson --kernel "$kernel" --json
    gives 'abs(r["laplace"]["log_z"] - other("dense.json")["laplace"]["log_z"]) < 1e-9'
    gives 'abs(r["ep_corrected"]["log_z"] - other("dense.json")["ep_corrected"]["log_z"]) < 1e-6'
    works evidence "$d/t.csv" --likelihood poisson --kernel "$kernel" --method ais --kernel-method rmhmc --particles 64 \
        --temperatures 8 --json --quiet
    gives 'abs(r["estimates"][0]["log_z"] - other("dense.json")["ep_corrected"]["log_z"]) < 0.2'
done
works sample "$d/t.csv" --likelihood poisson --kernel "$kernel" --method rmhmc --chains 2 --warmup 20 --draws 20 -o "$d/walk.nc" --quiet
works summary "$d/walk.nc"
refuses 1 'has areas 1 to 3' approx "$d/t.csv" --label-column t --likelihood gaussian --kernel "icar(y, graph=\"$d/row.graph\")"
refuses 1 'icar needs a file: graph=FILE' approx "$d/t.csv" --likelihood poisson --kernel 'icar(t)'
refuses 1 'at no fewer than 4 times' approx "$d/t.csv" --likelihood poisson --kernel 'rw2(t)'
printf '3\n1 1 2\n2 1 1\n3 0\n' >"$d/apart.graph"
refuses 1 'area 3 cannot be reached from area 1' approx "$d/t.csv" --likelihood poisson --kernel "icar(t, graph=\"$d/apart.graph\")"

# sums, products and designs that do not determine the variables: these are latents of their own behind the cases, which nobody observed
printf '2.75,2.5,2.25\n2.5,3,2.5\n2.25,2.5,2.75\n' >"$d/more.csv" # K + 2
works approx "$d/y.csv" --likelihood poisson --kernel-matrix "$d/more.csv" --json --quiet
cp "$d/out" "$d/dense.json"
kernel="precision(matrix=\"$d/Q.mtx\") + constant(variance=2)"
works approx "$d/t.csv" --likelihood poisson --kernel "$kernel" --json
gives 'abs(r["laplace"]["log_z"] - other("dense.json")["laplace"]["log_z"]) < 1e-9 and r["model"]["hidden"] == 4'
gives 'abs(r["ep_corrected"]["log_z"] - other("dense.json")["ep_corrected"]["log_z"]) < 1e-6'
works evidence "$d/t.csv" --likelihood poisson --kernel "$kernel" --method ais,pt --particles 64 --temperatures 8 --json --quiet
gives 'all(abs(e["log_z"] - other("dense.json")["ep_corrected"]["log_z"]) < 0.2 for e in r["estimates"])'
for method in rmhmc hmc ess; do
    works sample "$d/t.csv" --likelihood poisson --kernel "$kernel" --method $method --chains 2 --warmup 20 --draws 20 -o "$d/sum.nc" --quiet --pointwise --force
done
works summary "$d/sum.nc"
says out '3 cases and 4 hidden variables'
works report "$d/sum.nc" -o "$d/sum.html" --quiet
run approx "$d/t.csv" --likelihood poisson --kernel "$kernel" --save-approx "$d/sum.json" --quiet
[ "$code" = 1 ] || complain "--save-approx with hidden variables: exit $code, not 1"
{ market general; printf '3 3 2\n1 1 1\n3 2 1\n'; } >"$d/few.mtx" # nobody sees the third variable, and case 2 sees none
works approx "$d/y.csv" --likelihood poisson --precision-matrix "$d/Q.mtx" --design-matrix "$d/few.mtx" --json

# a leaf with covariances makes it dense: K + 2 again, by se with a long length
works approx "$d/t.csv" --likelihood poisson --kernel "precision(matrix=\"$d/Q.mtx\") + se(t, ell=1e7, sigma=1.4142135623730951)" --json
gives 'abs(r["laplace"]["log_z"] - other("dense.json")["laplace"]["log_z"]) < 1e-9 and "hidden" not in r["model"]'

# a map of the cases, with a hole in the lattice; hidden variables are not drawn
printf 'a,b,y\n0,0,1\n1,0,2\n2,0,0\n0,1,4\n2,1,3\n0,2,1\n1,2,0\n2,2,2\n' >"$d/hole.csv"
works sample "$d/hole.csv" --likelihood poisson --kernel 'spde(a, b, ell=2) + constant' --method hmc --chains 2 --warmup 20 --draws 50 -o "$d/hole.nc" --quiet
works report "$d/hole.nc" -o "$d/hole.html" --quiet
grep -q 'Posterior mean of the latent function at the cases' "$d/hole.html" || complain 'the page has no map'
grep -q '8 cases and 9 hidden variables' "$d/hole.html" || complain 'the page counts hidden variables as cases'

# parameters of sparse priors, and new cases: an area without a case, a time between others
printf '4\n1 1 2\n2 2 1 3\n3 2 2 4\n4 1 3\n' >"$d/four.graph"
printf 't\n2.5\n4\n' >"$d/new_t.csv"
printf 't\n4\n2\n' >"$d/new_areas.csv"
printf 't,y\n1,3\n1,4\n2,0\n2,1\n3,7\n3,9\n' >"$d/twice.csv"
area="bym2(t, graph=\"$d/four.graph\", sigma=1, odds=2) + constant(variance=4)"
for kernel in "$area" 'rw1(t, sigma=1) + constant(variance=4)'; do
    case $kernel in bym2*) new=$d/new_areas.csv ;; *) new=$d/new_t.csv ;; esac
    works fit "$d/twice.csv" --likelihood poisson --kernel "$kernel" --json --quiet
    gives '-30 < r["log_z"] < -5'
    works sample "$d/twice.csv" --likelihood poisson --kernel "$kernel" --method hmc --chains 4 --warmup 50 --draws 100 -o "$d/new.nc" --force --quiet
    works predict "$d/new.nc" "$new" --json --quiet --force
    gives 'len(r["predictions"]["variance"]) == 2 and min(r["predictions"]["variance"]) > 0.01'
    case $kernel in
    bym2*)
        works predict "$d/new.nc" "$new" -o "$d/new_out.csv" --joint "$d/joint.csv" --quiet --force
        [ "$(wc -l <"$d/joint.csv")" = 401 ] || complain 'not a row for each draw'
        ;;
    *) refuses 1 'has a time or category that no training case has' predict "$d/new.nc" "$new" -o "$d/new_out.csv" --joint "$d/joint.csv" --quiet --force ;;
    esac
done
works evidence "$d/twice.csv" --likelihood poisson --kernel "$area" --fix bym2.odds --fix constant.variance --prior 'bym2.sigma ~ half_normal(1)' --points 64 --json --quiet

# what is refused, with the file's name
refused() { words=$1; shift; refuses 1 "$words" approx "$d/y.csv" --likelihood poisson "$@"; }
refused '--design-matrix needs --precision-matrix' --design-matrix "$d/A.mtx"
refused '--kernel cannot be used with --precision-matrix' --precision-matrix "$d/Q.mtx" --kernel se
refused '--precision-matrix cannot be used with --kernel-matrix' --precision-matrix "$d/Q.mtx" --kernel-matrix "$d/K.csv"
refused 'cannot be used with --precision-matrix: there are no inputs' --precision-matrix "$d/Q.mtx" --standardise
refused 'has 4 rows, but there are 3 cases' --precision-matrix "$d/Q.mtx" --design-matrix "$d/A.mtx"
refused 'cannot be opened' --precision-matrix "$d/none.mtx"
bad() { # WORDS KIND NUMBERS
    { market "$2"; printf '%b' "$3"; } >"$d/bad.mtx"
    refused "$1" --precision-matrix "$d/bad.mtx"
}
bad 'is not symmetric: row 2, column 1 is -1' general '3 3 4\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n'
bad 'occurs twice' symmetric '3 3 4\n1 1 2\n2 2 2\n3 3 2\n2 2 -1\n'
bad 'line 4: row 4' symmetric '3 3 3\n1 1 2\n4 2 2\n3 3 2\n'
bad 'not positive definite: its factorisation fails at variable 2' symmetric '3 3 3\n1 1 2\n2 2 -2\n3 3 2\n'
bad 'each must be from 1 to 2^31 - 1' symmetric '1099511627776 1099511627776 1\n1 1 1\n'
bad 'only' symmetric '2000000000 2000000000 1\n1 1 1\n'
bad 'it may be truncated' symmetric '3 3 1099511627776\n1 1 1\n'
finish
