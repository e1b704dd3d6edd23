#!/bin/sh
# No file of the repository names a place on somebody's machine. Usage: paths.sh [BUILD]
set -eu

# A root folder that belongs to one machine, as the beginning of a path: not part of a longer one, nor of a URL.
pattern='(^|[^A-Za-z0-9_.~}/-])/(home|root|tmp|work|Users|mnt|media|srv|opt|scratch)/'

look_in() { # names on standard input
    tr '\n' '\0' | xargs -0 grep -InE "$pattern" -- /dev/null || true
}

# The check has teeth, and does not bite what is allowed.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
echo "see /$(printf home)/me/data.csv" >"$trial/bad"
echo "ls /usr/local ../tmp/x build/tmp/ https://example.org/$(printf home)/x >/dev/null" >"$trial/good"
[ -n "$(echo "$trial/bad" | look_in)" ] || { echo "paths.sh does not see a path it should" >&2; exit 1; }
[ -z "$(echo "$trial/good" | look_in)" ] || { echo "paths.sh complains about a harmless file" >&2; exit 1; }

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "skipped: not a git clone"; exit 77; }
found=$(git ls-files | look_in)
[ -z "$found" ] || { printf 'paths of one machine:\n%s\n' "$found" >&2; exit 1; }
