#!/bin/sh
# Run the program of figure 1 and look at what it wrote. Usage: check.sh PROGRAM DIRECTORY
set -eu
export LC_ALL=C # awk reads decimal points
mkdir -p "$2"
rm -f "$2"/*.dat
"$1" "$2"
cd "$2"

fail() {
    echo "figure1: $*" >&2
    exit 1
}

# rows FILE COUNT: it has so many lines with numbers.
rows() {
    found=$(grep -c '[0-9]' "$1" || true)
    [ "$found" -ge "$2" ] || fail "$1 has $found lines of numbers, not $2"
}
rows density.dat 10000
rows hmc.dat 13
rows rmhmc.dat 13
rows hmc_ends.dat 150
rows rmhmc_ends.dat 150

# Both start in the same place and conserve energy along the way; RMHMC goes further.
[ "$(awk 'NR == 1 { print $2, $3 }' hmc.dat)" = "$(awk 'NR == 1 { print $2, $3 }' rmhmc.dat)" ] ||
    fail "the two trajectories do not start in the same place"
for name in hmc rmhmc; do
    awk '{ e = $4 < 0 ? -$4 : $4; if (!(e < 0.5)) bad = 1 } END { exit bad }' $name.dat ||
        fail "$name.dat does not conserve energy to 0.5"
done
moved() {
    awk 'NR == 1 { x = $2; y = $3 } END { print sqrt(($2 - x)^2 + ($3 - y)^2) }' "$1"
}
awk "BEGIN { exit !($(moved rmhmc.dat) > 1.5 * $(moved hmc.dat)) }" || fail "RMHMC does not go further than HMC"
