#!/bin/sh
# talweg predict: what was saved predicts as it should; labels, columns, given matrices.
# Usage: predict.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 80 --test-cases 1300
train=$d/demo/two_classes.csv
test=$d/demo/two_classes_test.csv

# saved once, not overwritten, and the same again when asked for
model="--standardise --log-ell -0.5,0.1 --log-sigma 1 --white 0.01 --constant 0.5"
# shellcheck disable=SC2086 # the options are meant to be split
works approx "$train" $model --save-approx "$d/fit.json"
cp "$d/fit.json" "$d/before.json"
refuses 1 'already exists' approx "$train" --save-approx "$d/fit.json"
# shellcheck disable=SC2086
works approx "$train" $model --save-approx "$d/fit.json" --force
cmp -s "$d/fit.json" "$d/before.json" || complain "the same fit saved twice differs"
[ -z "$(find "$d" -name '*.part')" ] || complain "a temporary file was left"

# scores, and the same from the predictions by hand
works predict "$d/fit.json" "$test" -o "$d/p.csv" --json
gives 'r["n"] == 1300 and 0.04 < r["scores"]["error_rate"] < 0.2'
gives 'len(r["predictions"]["probability"]) == 1300'
gives 'sum(b["cases"] for b in r["scores"]["calibration"]) == 1300'
gives 'abs(sum(r["predictions"]["log_score"]) / 1300 - r["scores"]["log_score_nats"]) < 1e-12'
gives 'abs(1 + r["scores"]["log_score_nats"] / math.log(2) - r["scores"]["information_bits"]) < 1e-12'
gives 'all(abs(l - math.log(p if y > 0 else 1 - p)) < 1e-9 for l, p, y in
    zip(*(r["predictions"][k] for k in ("log_score", "probability", "y"))))'
gives 'abs(sum((p > 0.5) != (y > 0) for p, y in zip(r["predictions"]["probability"], r["predictions"]["y"])) / 1300
    - r["scores"]["error_rate"]) < 1e-12'
[ "$(head -n 1 "$d/p.csv")" = row,x1,x2,mean,variance,probability,probability_q05,probability_q50,probability_q95,y,log_score ] || complain "header: $(head -n 1 "$d/p.csv")"
[ "$(wc -l <"$d/p.csv")" = 1301 ] || complain "lines of the predictions"

# standardised data have no units: other ones give the same predictions
cp "$d/out" "$d/plain"
for part in train test; do
    eval "from=\$$part"
    # shellcheck disable=SC2154 # from is set by eval
    awk -F, 'NR == 1 { print } NR > 1 { printf "%.17g,%.17g,%s\n", 1000 * $1 + 500, $2 / 64, $3 }' "$from" >"$d/$part.csv"
done
# shellcheck disable=SC2086
works approx "$d/train.csv" $model --save-approx "$d/units.json"
works predict "$d/units.json" "$d/test.csv" --json
gives 'all(abs(a - b) < 1e-8 for a, b in zip(r["predictions"]["mean"], other("plain")["predictions"]["mean"]))'

# without labels, on standard output; with the label in another place: the same predictions
cut -d, -f1,2 "$test" >"$d/inputs.csv"
works predict "$d/fit.json" "$d/inputs.csv" -o /dev/stdout
cut -d, -f1-9 "$d/p.csv" >"$d/p3.csv"
cmp -s "$d/out" "$d/p3.csv" || complain "predictions depend on whether there are labels"
awk -F, '{ print $3 "," $1 "," $2 }' "$test" >"$d/turned.csv"
works predict "$d/fit.json" "$d/turned.csv" --label-column class -o "$d/p2.csv"
cmp -s "$d/p.csv" "$d/p2.csv" || complain "predictions depend on where the label column is"
says out 'information'
says out 'Calibration'

# inputs are found by name, wherever they stand; other names are refused; without names they go by their order
awk -F, '{ print $2 "," $1 "," $3 }' "$test" >"$d/swapped.csv"
sed '1s/x2/y/' "$test" >"$d/renamed.csv"
awk -F, '{ print NR "," $0 }' "$test" | sed '1s/^1,/id,/' >"$d/more.csv"
sed 1d "$test" >"$d/nameless.csv"
works sample "$train" --log-ell -0.5 --log-sigma 1 --method ess --warmup 20 --draws 20 -o "$d/run.nc"
works approx "$train" --kernel 'se(x1, ell=0.6) + linear(x2)' --save-approx "$d/named.json"
works approx "$train" --kernel 'se(1, ell=0.6) + linear(2)' --save-approx "$d/numbered.json"
works predict "$d/named.json" "$test" -o "$d/named.csv"
works predict "$d/numbered.json" "$test" -o "$d/numbered.csv"
cmp -s "$d/named.csv" "$d/numbered.csv" || complain "a kernel with names and one with numbers differ"
printf 'blood p,b,y\n0,1,1\n1,2,-1\n0.5,0.2,1\n' >"$d/spaced.csv"
works approx "$d/spaced.csv" --kernel 'se("blood p", ell=1) + linear(b, ard, ell=2)' --save-approx "$d/spaced.json"
works predict "$d/spaced.json" "$d/spaced.csv" -o /dev/stdout
refuses 1 'unknown input "x3"; choose from: x1, x2' approx "$train" --kernel 'se(x1) + se(x3)'
says err '                ^'
for from in "$d/fit.json" "$d/run.nc" "$d/named.json"; do
    works predict "$from" "$test" -o "$d/p.csv" --force
    for other in swapped nameless; do
        works predict "$from" "$d/$other.csv" -o "$d/p2.csv" --force
        cmp -s "$d/p.csv" "$d/p2.csv" || complain "predictions of $other.csv differ"
    done
    refuses 1 'renamed.csv: the input "x2" of the model is missing' \
        predict "$from" "$d/renamed.csv"
    refuses 1 'more.csv: the model has no input "id"' predict "$from" "$d/more.csv"
done

# a given matrix: with the covariances of the kernel it predicts what the kernel predicts
if [ -n "$python" ]; then
    "$python" - "$train" "$test" "$d" <<'P'
import math, sys
read = lambda path: [[float(v) for v in line.split(",")] for line in open(path).read().split("\n")[1:] if line]
a, b, d = read(sys.argv[1]), read(sys.argv[2])[:50], sys.argv[3]
k = lambda p, q: 4 * math.exp(-0.5 * ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2) / 0.25)
def write(name, rows):
    open(d + "/" + name, "w").write("".join(",".join(repr(v) for v in row) + "\n" for row in rows))
write("k.csv", [[k(p, q) for q in a] for p in a])
write("cross.csv", [[k(p, q) for q in b] for p in a])
write("crossed.csv", [[k(p, q) for q in a] for p in b])
write("diagonal.csv", [[4.0] for q in b])
write("too_small.csv", [[4.0 if i != 6 else 0.04] for i in range(len(b))])
write("labels.csv", [[p[2]] for p in a])
write("new_labels.csv", [[q[2]] for q in b])
write("new.csv", b)
P
    log2=0.6931471805599453
    set -- --cross-kernel-matrix "$d/cross.csv" --diagonal "$d/diagonal.csv"
    works approx "$train" --log-ell -$log2 --log-sigma $log2 --save-approx "$d/by_kernel.json"
    works approx "$d/labels.csv" --kernel-matrix "$d/k.csv" --save-approx "$d/by_matrix.json"
    works predict "$d/by_kernel.json" "$d/new.csv" --json
    cp "$d/out" "$d/kernel"
    works predict "$d/by_matrix.json" "$d/new_labels.csv" "$@" --json
    gives 'all(abs(x - y) < 1e-6 for k, v in other("kernel")["predictions"].items()
        for x, y in zip(r["predictions"][k], v))'
    works predict "$d/by_matrix.json" "$@" -o /dev/stdout
    refuses 1 'has 80 cases, but there are covariances for 50' predict "$d/by_matrix.json" "$d/labels.csv" "$@"
    refuses 1 'with --cross-kernel-matrix and their prior variances with --diagonal' \
        predict "$d/by_matrix.json" "$d/new.csv"
    refuses 1 ': transpose it' \
        predict "$d/by_matrix.json" --cross-kernel-matrix "$d/crossed.csv" --diagonal "$d/diagonal.csv"
    refuses 1 'new case 7 has prior variance 0.04, but the training cases explain' \
        predict "$d/by_matrix.json" --cross-kernel-matrix "$d/cross.csv" --diagonal "$d/too_small.csv"
    refuses 1 'the prior variances of 50 new cases' \
        predict "$d/by_matrix.json" --cross-kernel-matrix "$d/cross.csv" --diagonal "$d/labels.csv"
fi

# without -o the file is predictions.csv, which is not overwritten, and with --json there is none; a note names it
here=$PWD
cd "$d"
works predict fit.json "$test" --json
[ ! -e predictions.csv ] || complain "--json wrote predictions.csv"
works predict fit.json "$test"
says err 'note: the predictions are in predictions.csv'
works predict fit.json "$test" -o direct.csv
cmp -s predictions.csv direct.csv || complain "predictions.csv is not what -o writes"
refuses 1 'predictions.csv already exists' predict fit.json "$test"
cd "$here"

# counts and real observations
awk 'BEGIN { print "t,y"; for (i = 0; i < 30; i++) print i / 10 "," int(3 + 3 * sin(i / 5)) }' >"$d/counts.csv"
works approx "$d/counts.csv" --likelihood poisson --exposure 2 --save-approx "$d/counts.json"
works predict "$d/counts.json" "$d/counts.csv" --json
gives 'all(abs(m / (2 * math.exp(a + v / 2)) - 1) < 1e-12 for m, a, v in
    zip(*(r["predictions"][k] for k in ("y_mean", "mean", "variance"))))'
gives 'r["scores"]["error_rate"] is None and r["scores"]["rmse"] < 1.5 and r["scores"]["information_bits"] is None'
cp "$d/out" "$d/scores"
works predict "$d/counts.json" "$d/counts.csv" -o /dev/stdout
says out 'root mean square'

# standard errors over samples of cases: s / sqrt(n) of a mean, and that of its square divided by twice a root
sed -n -e 's/^  error  *\([0-9.]*\) *+- \([0-9.]*\) .*/[["error", \1, \2],/p' \
    -e 's/^  mean log score  *\([-0-9.]*\) nats *+- \([0-9.]*\) .*/["mean log score", \1, \2]]/p' "$d/out" >"$d/shown"
cp "$d/shown" "$d/out"
gives '(lambda error, squares, scores: [row[0] for row in r] == ["error", "mean log score"]
    and abs(r[0][1] - math.sqrt(sum(squares) / 30)) < 6e-5 and abs(r[0][2] - 0.5 * error(squares) / r[0][1]) < 6e-5
    and abs(r[1][1] - sum(scores) / 30) < 6e-5 and abs(r[1][2] - error(scores)) < 6e-5)(
    lambda v: math.sqrt(sum((a - sum(v) / 30) ** 2 for a in v) / 29 / 30),
    [(a - b) ** 2 for a, b in zip(other("scores")["predictions"]["y"], other("scores")["predictions"]["y_mean"])],
    other("scores")["predictions"]["log_score"])'
works approx "$d/counts.csv" --likelihood gaussian --noise 0.5 --log-sigma 1 --save-approx "$d/real.json"
works predict "$d/real.json" "$d/counts.csv" --json
gives 'all(m == a and abs(s * s - v - 0.25) < 1e-12 for m, a, s, v in
    zip(*(r["predictions"][k] for k in ("y_mean", "mean", "y_sd", "variance"))))'

# an approximation that had not converged is marked
run approx "$train" --log-sigma 2 --max-sweeps 1 --save-approx "$d/unfinished.json"
[ "$code" = 2 ] || complain "no convergence: exit $code"
works predict "$d/unfinished.json" "$test" -o /dev/stdout
says err 'talweg: warning:'
says err 'had not converged'
finish
