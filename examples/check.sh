#!/bin/sh
# Run an example and look at what it says. Usage: check.sh PROGRAM
# Numbers that chance has no part in must be right to their last digit, the others within about five Monte Carlo
# standard errors: another machine may round differently, and then its chains are others.
set -eu
here=$(dirname "$0")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
name=$(basename "$1")
case $name in
    classification) "$1" "$place/run.nc" >"$place/said" ;;
    *) "$1" >"$place/said" ;;
esac
cat "$place/said"

fail() {
    echo "check.sh: $name: $*" >&2
    exit 1
}

# near START FIELD EXPECTED TOLERANCE: that field of the line that starts so is a number, and near.
near() {
    found=$(awk -v start="$1" -v field="$2" 'index($0, start) == 1 { gsub(/[,;()%]/, ""); print $field; exit }' \
        "$place/said")
    LC_ALL=C awk -v a="$found" -v b="$3" -v t="$4" 'BEGIN { exit !(a ~ /^[-+0-9.e]+$/ && a - b <= t && b - a <= t) }' ||
        fail "\"$1 ...\": field $2 is '$found', not $3 +- $4"
}

# says TEXT: a line has it.
says() {
    grep -qF "$1" "$place/said" || fail "does not say \"$1\""
}

# What README.md shows of this example, as a page of its own for scripts/run_page: the words are those printed, the numbers near.
page() {
    command -v python3 >/dev/null 2>&1 || return 0
    sed -n "/^## $name\$/,/^## /p" "$here/README.md" | sed 's/^    [$] .*/    $ cat said/' >"$place/page.md"
    ! grep -q '^    ' "$place/page.md" || python3 "$here/../scripts/run_page" "$place/page.md" "$place" || fail "README.md is stale"
}
page

case $name in
    classification)
        near "EP: log Z" 5 -55.2021 0.0001
        says "(converged)"
        near "32 chains" 7 0.80 0.06
        near "R-hat" 4 1.03 0.03 # of 32 chains of 64 draws, over 200 latents: what chance gives
        near "first new case" 10 0.837 0.01
        near "of 1000 new cases" 5 7.1 0.4
        [ "$(head -c 4 "$place/run.nc" | tail -c 3)" = HDF ] || fail "run.nc is no NetCDF-4 file"
        [ ! -e "$place/run.nc.journal" ] || fail "the journal was left behind"
        ;;
    poisson)
        near "log Z by EP" 5 -175.43 0.01
        near "R-hat" 4 1.04 0.03
        near "1851" 3 4.00 0.15
        near "1949" 3 0.96 0.05
        near "the truth is inside" 6 100 5
        ;;
    disease)
        near "poisson" 6 -430.86 0.01
        near "negative_binomial, dispersion  3" 8 -334.36 0.01
        near "the truth is inside" 6 95 1
        ;;
    survival)
        near "24 of 120 parts" 1 24 0
        near "shape 1.0" 7 -275.56 0.01
        near "shape 2.0" 7 -245.73 0.01
        near " 0.2" 2 9.4 0.1
        near " 0.2" 4 5.7 0.1
        ;;
    ordinal)
        near "log Z by EP" 5 -212.463 0.001
        near "R-hat" 4 1.005 0.01
        near " 0.0" 2 0.54 0.02
        near " 3.2" 2 0.15 0.02
        ;;
    own_likelihood)
        near "derivatives" 6 0 1e-8
        near "gaussian" 6 -1655.45 0.01
        near "gaussian" 15 0.544 0.02
        near "logistic" 6 -147.89 0.01
        near "logistic" 15 0.057 0.01
        ;;
    evidence)
        near "Laplace" 2 -54.7098 0.0001
        near "EP  " 2 -56.0251 0.0001
        near "EP corrected" 3 -55.1764 0.0001
        near "ais  " 2 -55.29 0.08
        near "ais-reverse" 2 -55.29 0.08
        says "ais and ais-reverse agree"
        ;;
    fit)
        says "a maximum"
        near "log Z" 3 -43.358 0.01
        near "ell.1" 3 0.224 0.02
        near "ell.2" 3 1.088 0.03
        near "sigma" 5 0.409 0.02
        ;;
    unknown)
        near "log p(y) of the whole model" 7 -21.24 0.15
        near "log_ell" 2 -0.026 0.06
        near "log_sigma" 2 1.906 0.15
        near "p(+1) at (1.65" 5 0.039 0.06
        ;;
    map)
        if ! grep -q "without sparse matrices" "$place/said"; then
            near "Laplace" 4 -1198.9126 0.0002
            near "EP" 4 -1198.8415 0.0002
            near "EP" 6 -1198.7466 0.0002
            near "AIS" 4 -1198.743 0.04
        fi
        ;;
    *) fail "is not an example that this script knows" ;;
esac
