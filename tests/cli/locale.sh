#!/bin/sh
# The library reads and writes decimal points in a process whose locale has decimal commas: kernels, priors, tables, model
# files, approximations and JSON are those of the program, to the byte. (Options with fractions belong to the program, whose
# locale is "C".) Usage: locale.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
mkdir "$d/locale" "$d/point" "$d/comma"
localedef -i de_DE -f UTF-8 "$d/locale/de_DE.UTF-8" >/dev/null 2>&1 || { echo "skipped: no German locale can be made"; exit 77; }
works demo --data-only --directory "$d/demo" --cases 30 --test-cases 5
data=$d/demo/two_classes.csv

# both ARGUMENTS...: in the folder "point" the program, in "comma" the same in a process with a locale; both must print the same
both() {
    checks=$((checks + 2))
    (cd "$d/point" && "$talweg" "$@" >out 2>err) || complain "talweg $*: exit $?: $(cat "$d/point/err")"
    # (LeakSanitizer would report the search path that newlocale of glibc keeps where LOCPATH is set.)
    (cd "$d/comma" && ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" LOCPATH=$d/locale LC_ALL=de_DE.UTF-8 \
        "$build/tests/in_locale" "$@" >out 2>err) ||
        complain "talweg $* under a comma: exit $?: $(cat "$d/comma/err")"
    same out
}
same() { # FILE: beside times and names of folders
    for folder in point comma; do
        sed 's/"[a-z_]*seconds[a-z_]*":[^,}]*//g; /seconds/d; /"files":/d; s/[0-9.]* s</</g' "$d/$folder/$1" >"$d/$folder.plain"
    done
    cmp -s "$d/point.plain" "$d/comma.plain" || complain "$1 is another one: $(diff "$d/point.plain" "$d/comma.plain" | head -n 6)"
}
both approx "$data" --kernel 'se(ell=0.35, sigma=1.25e-1) + constant(variance=2.500000000000000000000001)' \
    --save-approx approx.json --marginals marginals.csv --json --quiet
same approx.json
same marginals.csv
both predict approx.json "$d/demo/two_classes_test.csv" -o predictions.csv --json --quiet
same predictions.csv
both model "$data" --kernel se --prior 'log_ell ~ normal(0.25, 1.5)' --prior 'log_sigma ~ normal(0.5, 0.75)' -o model.json --json --quiet
same model.json
finish
