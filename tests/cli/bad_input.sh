#!/bin/sh
# Whatever is wrong with the input, the program ends with the right code and one clear message. Usage:
# bad_input.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# ---- files
printf 'a,b,y\n1,2,1\n3,4,-1\n2,2,1\n0,1,-1\n' >"$d/good.csv"
: >"$d/empty.csv"
printf 'a,b,y\n' >"$d/header.csv"
printf 'a,b,y\n1,2,1\n3,4\n' >"$d/ragged.csv"
printf 'a,b,y\n1,nan,1\n3,4,-1\n' >"$d/nan.csv"
printf 'a,b,y\n1,2,1\n3,inf,-1\n' >"$d/inf.csv"
printf 'a,b,y\n1,2,1\n3,four,-1\n' >"$d/text.csv"
printf 'a,b,y\n1,2,1\n3,4,2\n5,6,3\n' >"$d/labels123.csv"
printf 'a,b,y\n1,2,1\n3,4,0.5\n' >"$d/half.csv"
printf 'a,b,y\n1,2,1\n3,4,-1\n' >"$d/count.csv"
printf 'a,b,y\n1,2,1\n3,4,1.5\n' >"$d/fraction.csv"
printf '\000\001\002\003binary' >"$d/binary.csv"
printf 'not an array' >"$d/bad.npy"
printf 'y\n1\n-1\n' >"$d/one_column.csv"
printf '1,0.5\n0.4,1\n' >"$d/asymmetric.csv"
printf '1,2\n2,1\n' >"$d/indefinite.csv"
printf '1,0\n0,-1\n' >"$d/negative.csv"
printf '1,0,0\n0,1,0\n' >"$d/oblong.csv"
printf '1,0,0\n0,1,0\n0,0,1\n' >"$d/three.csv"
mkdir "$d/folder"

refuses 1 'is empty' approx "$d/empty.csv"
refuses 1 'header.csv' approx "$d/header.csv"
refuses 1 'ragged.csv: line 3' approx "$d/ragged.csv"
refuses 1 'nan.csv: line 2, column 2' approx "$d/nan.csv"
refuses 1 'inf.csv: line 3, column 2' approx "$d/inf.csv"
refuses 1 'text.csv: line 3, column 2' approx "$d/text.csv"
refuses 1 'labels123.csv: labels of two classes must be two different whole numbers or texts, but they are 1 (row 1), 2 (row 2), 3' \
    approx "$d/labels123.csv"
refuses 1 'or another likelihood (ordinal3 with its 3 levels listed in order, poisson for counts' approx "$d/labels123.csv"
refuses 1 'they are 1 (row 1), 0.5 (row 2)' approx "$d/half.csv"
refuses 1 'they are 1 (row 1), 0.5 (row 2)' approx "$d/half.csv" --likelihood logit
refuses 1 'count.csv: observation 2 is -1, but poisson needs 0, 1, 2, ..., 1e11 (line 3)' approx "$d/count.csv" --likelihood poisson
refuses 1 'observation 2 is 1.5, but poisson needs' approx "$d/fraction.csv" --likelihood=poisson
refuses 1 'is a directory' approx "$d/folder"
refuses 1 'is not a text file' approx "$d/binary.csv"
refuses 1 'bad.npy' approx "$d/bad.npy"
refuses 1 'absent.csv: cannot be opened: No such file' approx "$d/absent.csv"
refuses 1 'only one column' approx "$d/one_column.csv"
refuses 1 'unknown label column "z"' approx "$d/good.csv" --label-column z
refuses 1 'has no labels: choose a --label-column' approx "$d/good.csv" --label-column none

# ---- kernel matrices
two=$d/one_column.csv # labels alone are enough here
refuses 1 'asymmetric.csv: the covariance matrix is not symmetric: row 2, column 1' \
    approx "$two" --kernel-matrix "$d/asymmetric.csv"
refuses 1 'indefinite.csv: the covariance matrix is not positive' approx "$two" --kernel-matrix "$d/indefinite.csv"
refuses 1 'negative.csv: the covariance matrix has -1 on its diagonal' \
    approx "$two" --kernel-matrix "$d/negative.csv"
refuses 1 'a covariance matrix must be square' approx "$two" --kernel-matrix "$d/oblong.csv"
refuses 1 'has 3 rows, but ' approx "$two" --kernel-matrix "$d/three.csv"
refuses 1 'cannot be used with --kernel-matrix: there are no inputs' approx "$two" --kernel-matrix "$d/three.csv" --standardise

# ---- options
refuses 1 '--log-ell needs a number, or several' approx "$d/good.csv" --log-ell abc
refuses 1 'not "abc"' approx "$d/good.csv" --log-ell abc
refuses 1 'not "1,"' approx "$d/good.csv" --log-ell 1,
refuses 1 '3 length scales were given for 2 inputs' approx "$d/good.csv" --log-ell 1,2,3
refuses 1 '--log-sigma needs a number, not "1.5x"' approx "$d/good.csv" --log-sigma 1.5x
refuses 1 '--log-sigma needs a number, not "1e999"' approx "$d/good.csv" --log-sigma 1e999
refuses 1 'log sigma must be a number between' approx "$d/good.csv" --log-sigma 1e4
refuses 1 '--constant must be at least 0, not -1' approx "$d/good.csv" --constant -1
refuses 1 '--noise must be above 0, not 0' approx "$d/good.csv" --likelihood gaussian --noise 0
refuses 1 '--noise cannot be used with the probit likelihood' approx "$d/good.csv" --noise 2
refuses 1 '--exposure cannot be used with the gaussian likelihood' \
    approx "$d/good.csv" --likelihood gaussian --exposure 2
refuses 1 '--orders must be from 3 to 8, not 9' approx "$d/good.csv" --orders 9
refuses 1 '--max-sweeps needs a whole number' approx "$d/good.csv" --max-sweeps 2.5
refuses 1 '--tol must be above 0, not 0' approx "$d/good.csv" --tol 0
refuses 1 '--log-sigma needs a value: --log-sigma X' approx "$d/good.csv" --log-sigma
refuses 1 '--marginals needs a value: --marginals FILE' approx "$d/good.csv" --marginals --json
refuses 1 '--json takes no value, but "yes" was given' approx "$d/good.csv" --json=yes
refuses 1 'has no option "--log-el" (did you mean --log-ell?)' approx "$d/good.csv" --log-el 1
refuses 1 'has no option "--standardize" (did you mean --standardise?)' approx "$d/good.csv" --standardize
refuses 1 'has no option "--frobnicate"; talweg approx --help' approx "$d/good.csv" --frobnicate
refuses 1 'has no option "-x"' approx "$d/good.csv" -x
refuses 1 'unknown likelihood "probitt" (did you mean probit?); choose from: probit, logit, poisson' \
    approx "$d/good.csv" --likelihood probitt
refuses 1 'unknown kernel "cubic"; choose from: se, matern12' approx "$d/good.csv" --kernel cubic
refuses 1 'talweg approx needs DATA' approx
refuses 1 'unexpected argument' approx "$d/good.csv" "$d/good.csv"
refuses 1 "unknown command 'frobnicate'" frobnicate "$d/good.csv"
refuses 1 "unknown command 'aprox' (did you mean approx?)" aprox
refuses 1 'no command was given' # nothing at all

# ---- output
refuses 3 'cannot be written: No such file' approx "$d/good.csv" --save-approx "$d/absent/fit.json"
refuses 3 'cannot be written: No such file' approx "$d/good.csv" --marginals "$d/absent/m.csv"
refuses 3 'cannot be written: Is a directory' approx "$d/good.csv" --save-approx "$d/folder"
refuses 3 'cannot be written: Not a directory' approx "$d/good.csv" --save-approx "$d/good.csv/fit.json"
cp "$d/good.csv" "$d/there.csv"
refuses 1 'there.csv already exists; use --force' approx "$d/good.csv" --save-approx "$d/there.csv"
if [ "$(id -u)" != 0 ]; then
    mkdir "$d/closed" && chmod a-w "$d/closed"
    refuses 3 'cannot be written: Permission denied' approx "$d/good.csv" --save-approx "$d/closed/fit.json"
fi
if [ -c /dev/full ]; then
    # Results come before files, so that a full disk does not cost them.
    run approx "$d/good.csv" --save-approx /dev/full
    [ "$code" = 3 ] || complain "a full disk for --save-approx: exit $code"
    says err '/dev/full: could not be written completely: No space left'
    says out 'EP corrected'
    checks=$((checks + 1))
    code=0
    "$talweg" approx "$d/good.csv" >/dev/full 2>"$d/err" || code=$?
    [ "$code" = 3 ] || complain "a full disk for standard output: exit $code"
    says err 'standard output could not be written: No space left'
fi

# ---- predict
works approx "$d/good.csv" --save-approx "$d/fit.json"
printf 'a,b,c,y\n1,2,3,1\n' >"$d/wide.csv"
refuses 1 'fit.json: cannot be opened: No such file' predict "$d/absent/fit.json" "$d/good.csv"
refuses 1 'good.csv: line 1, column 1: not a saved approximation' predict "$d/good.csv" "$d/good.csv"
refuses 1 'needs NEWDATA' predict "$d/fit.json"
refuses 1 'talweg predict needs FROM' predict
refuses 1 'wide.csv: the model has no input "c"' predict "$d/fit.json" "$d/wide.csv"
sed 1d "$d/wide.csv" >"$d/nameless.csv"
refuses 1 'nameless.csv has 4 inputs, but the model has 2' predict "$d/fit.json" "$d/nameless.csv"
refuses 1 'wide.csv: the model has no input "c"' predict "$d/fit.json" "$d/wide.csv" --label-column y
refuses 1 'labels123.csv: labels of two classes' predict "$d/fit.json" "$d/labels123.csv"
! grep -q 'another likelihood' "$d/err" || complain "predict advises another likelihood, which it cannot take"
refuses 1 'has a kernel: give NEWDATA' predict "$d/fit.json" "$d/good.csv" --diagonal "$d/good.csv"
refuses 3 'cannot be written' predict "$d/fit.json" "$d/good.csv" -o "$d/absent/p.csv"
refuses 1 'already exists' predict "$d/fit.json" "$d/good.csv" -o "$d/there.csv"

# ---- not wrong, but worth a word
printf 'a,b,y\n1,2,1\n3,4,1\n' >"$d/one_class.csv"
works approx "$d/one_class.csv"
says err 'talweg: warning: every label is 1: there is only one class'
works approx "$d/one_class.csv" --no-warnings
[ ! -s "$d/err" ] || complain "--no-warnings warned: $(cat "$d/err")"

# ---- no convergence: what was found is printed and marked, and the exit code says so
works demo --data-only --directory "$d/demo" --cases 60 --test-cases 10
run approx "$d/demo/two_classes.csv" --log-sigma 2 --max-sweeps 1
[ "$code" = 2 ] || complain "no convergence: exit $code"
says out 'NO'
says out 'skipped: needs a converged EP'
says err 'EP did not converge in 1 sweep'
says err 'Raise --max-sweeps'
run approx "$d/demo/two_classes.csv" --log-sigma 2 --max-sweeps 1 --json
[ "$code" = 2 ] || complain "no convergence, --json: exit $code"
gives 'r["ep"]["converged"] is False and r["ep_corrected"]["log_z"] is None'
finish
