#!/bin/sh
# talweg approx: the JSON of the contract, the same answer on every road, locales. Usage: approx.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works demo --data-only --directory "$d/demo" --cases 60 --test-cases 300
data=$d/demo/two_classes.csv
model="--log-ell -0.5 --log-sigma 1.25"

# shellcheck disable=SC2086 # the options are meant to be split, here and below
works approx "$data" $model --json
gives 'r["n"] == 60 and r["laplace"]["converged"] is True and r["ep"]["converged"] is True'
gives 'all(isinstance(r[k]["log_z"], float) for k in ("laplace", "ep", "ep_corrected"))'
gives 'isinstance(r["ep"]["sweeps"], int) and r["ep"]["seconds"] >= 0 and r["laplace"]["seconds"] >= 0'
gives 'abs(r["ep"]["log_z"] + sum(r["ep_corrected"]["terms"]) - r["ep_corrected"]["log_z"]) < 1e-10'
gives 'len(r["ep_corrected"]["terms"]) == 2'
cp "$d/out" "$d/first"

without_times() {
    sed -E '/"(model|files)":/d; s/"seconds(_total)?": ?[^,}]*//' "$1"
}
# same WHAT: the JSON in $d/out is that of the first run, times and files aside.
same() {
    [ "$(without_times "$d/first")" = "$(without_times "$d/out")" ] || complain "$1: another answer"
}

# --name=value, -- before the data, the last of two options
works approx --json --log-ell=9 --log-ell=-0.5 --log-sigma=1.25 -- "$data"
same 'other spellings'

# a length scale per input, all equal, is one length scale
works approx "$data" --log-ell -0.5,-0.5 --log-sigma 1.25 --json
same 'two equal length scales'

# labels 0 and 1, another column, a header's name, libsvm: the same data
awk -F, 'NR == 1 { print "class,x1,x2" } NR > 1 { print ($3 > 0) "," $1 "," $2 }' "$data" >"$d/turned.csv"
awk -F, 'NR > 1 { print $3 " 1:" $1 " 2:" $2 }' "$data" >"$d/data.libsvm"
for road in 'turned.csv --label-column class' 'turned.csv --label-column 1' 'turned.csv --label-column -3' data.libsvm; do
    # shellcheck disable=SC2086
    works approx "$d"/$road $model --json
    same "$road"
done

# locales: numbers have points (a locale that is not installed changes nothing either)
for locale in de_DE.UTF-8 fr_FR.UTF-8; do
    export LC_ALL=$locale
    # shellcheck disable=SC2086
    works approx "$data" $model --json
    same "locale $locale"
    unset LC_ALL
done

# the table has the same numbers, to 4 decimals
# shellcheck disable=SC2086
works approx "$data" $model
cp "$d/out" "$d/table"
cp "$d/first" "$d/out"
gives 'all("%.4f" % r[k]["log_z"] in open(sys.argv[1] + "/table").read() for k in ("laplace", "ep", "ep_corrected"))'

# marginals
# shellcheck disable=SC2086
works approx "$data" $model --marginals "$d/m.csv"
[ "$(head -n 1 "$d/m.csv")" = index,laplace_mean,laplace_sd,ep_mean,ep_sd ] || complain "header of the marginals"
[ "$(wc -l <"$d/m.csv")" = 61 ] || complain "lines of the marginals"

# a given matrix, K = 4 I: each label has probability 1/2, and none says anything about another
awk 'BEGIN { for (i = 1; i <= 5; i++) for (j = 1; j <= 5; j++) printf "%d%s", i == j ? 4 : 0, j < 5 ? "," : "\n" }' \
    >"$d/k.csv"
printf 'y\n1\n-1\n1\n1\n-1\n' >"$d/labels.csv"
works approx "$d/labels.csv" --kernel-matrix "$d/k.csv" --json
gives 'abs(r["ep"]["log_z"] + 5 * math.log(2)) < 1e-12'
gives 'abs(r["ep_corrected"]["log_z"] - r["ep"]["log_z"]) < 1e-12'

# a Gaussian likelihood: both are exact, log N(y; 0, (4 + 0.5^2) I)
works approx "$d/labels.csv" --kernel-matrix "$d/k.csv" --likelihood gaussian --noise 0.5 --json
gives 'abs(r["ep"]["log_z"] + 2.5 * math.log(2 * math.pi * 4.25) + 2.5 / 4.25) < 1e-9'
gives 'abs(r["laplace"]["log_z"] - r["ep"]["log_z"]) < 1e-9'

# every option of the model arrives: two cases, log N(y; 0, [[a, b], [b, a]]) with a = sigma^2 + constant + white +
# jitter + noise^2 and b = sigma^2 g(d) + constant, where d = |(0.6 / 2, 0.8 / 0.5)|
printf '0,0,1.5\n0.6,0.8,-0.5\n' >"$d/two.csv"
for kernel in 'se math.exp(-d * d / 2)' 'matern12 math.exp(-d)' \
    'matern32 (1 + math.sqrt(3) * d) * math.exp(-math.sqrt(3) * d)'; do
    works approx "$d/two.csv" --likelihood gaussian --noise 0.7 --kernel "${kernel%% *}" --log-sigma 0.25 \
        --log-ell 0.6931471805599453,-0.6931471805599453 --constant 0.3 --white 0.11 --jitter 0.013 --json
    gives "(lambda g, s: (lambda a, b: abs(r['ep']['log_z'] + math.log(2 * math.pi) + math.log(a * a - b * b) / 2
        + (a * (1.5 ** 2 + 0.5 ** 2) + 2 * b * 1.5 * 0.5) / (a * a - b * b) / 2) < 1e-8)(
        s + 0.3 + 0.11 + 0.013 + 0.49, s * g(math.hypot(0.3, 1.6)) + 0.3))(lambda d: ${kernel#* }, math.exp(0.5))"
done

# check values of a published data set, where it is at hand
usps=${TALWEG_SHARED:-../shared}/data/usps35_train.csv
if [ -r "$usps" ]; then
    works approx "$usps" --log-ell 2.85 --log-sigma 2.35 --json
    gives 'abs(r["laplace"]["log_z"] + 98.964) < 1e-3 and abs(r["ep"]["log_z"] + 94.891) < 1e-3'
    gives 'abs(r["ep_corrected"]["log_z"] + 94.615) < 1e-3'
fi

# help and version
# A process in time by its precision is the same model as by its covariances; a field on a lattice stands alone.
awk 'BEGIN { OFS = ","; print "t,u,y"; for (i = 0; i < 30; i++) print i % 6, int(i / 6), (i * i) % 4 }' >"$d/lattice.csv"
awk 'BEGIN { OFS = ","; print "t,y"; for (i = 0; i < 30; i++) print (i * 7) % 30, (i * i) % 4 }' >"$d/chain.csv"
for kernel in ar1 matern12; do
    works approx "$d/chain.csv" --likelihood poisson --kernel "$kernel(t, ell=3, sigma=0.7)"
    grep -E '^(Laplace|EP) ' "$d/out" | awk '{ print $1, $2 }' >"$d/$kernel"
done
cmp -s "$d/ar1" "$d/matern12" || complain "ar1 and matern12 differ: $(cat "$d/ar1" "$d/matern12")"
if "$build/talweg" --version | grep -q AMD; then
    works approx "$d/lattice.csv" --likelihood poisson --kernel 'spde(t, u, ell=3, sigma=1)'
    # a leaf with covariances beside one with a sparse precision makes the model dense; parameters of both kinds are fitted
    works approx "$d/lattice.csv" --likelihood poisson --kernel 'spde(t, u, ell=3, sigma=1) + se(t, ell=2, sigma=1)'
    works fit "$d/lattice.csv" --likelihood poisson --kernel 'spde(t, u)' --prior default -o "$d/fit.json"
else
    refuses 1 'install SuiteSparse' approx "$d/lattice.csv" --likelihood poisson --kernel 'spde(t, u, ell=3, sigma=1)'
fi

works --version
[ "$(head -n 1 "$d/out")" = "talweg $(cat VERSION)" ] || complain "--version: $(cat "$d/out")"
for line in '^sparse precision matrices: ' '^MPI: '; do
    grep -q "$line" "$d/out" || complain "--version does not say what it was built with"
done
works --help
works predict "$d/absent" --help
works approx --help
says out 'default 1e-8'
[ -z "$(sed '/^Example/,$d' "$d/out" | awk 'length > 79')" ] || complain "--help has lines that are too long"
finish
