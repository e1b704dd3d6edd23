#!/bin/sh
# The tutorial's commands run and print what the page says, numbers within Monte Carlo error. Usage: tutorial.sh BUILD
set -eu
build=$(cd "$1" && pwd)
command -v python3 >/dev/null 2>&1 || { echo "skipped: there is no python3"; exit 77; }
if grep -qE '^TALWEG_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "skipped: the release build runs it"
    exit 77
fi
place=$(mktemp -d "$build/tutorial.XXXXXX")
trap 'rm -rf "$place"' EXIT

# The comparison has teeth: another word, a number too far off (in a row of CSV too), a field too many and a line too
# many are seen; a number that is near enough passes, in a row of CSV too.
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a 1.050 b"\n    a 1.000 b\n' >"$place/good.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a 1.200 b"\n    a 1.000 b\n' >"$place/number.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a 1.000 c"\n    a 1.000 b\n' >"$place/word.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a,1.050,-2.01"\n    a,1.000,-2.00\n' >"$place/good_csv.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a,1.050,-2.31"\n    a,1.000,-2.00\n' >"$place/field.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a,1.000,2.00,3"\n    a,1.000,2.00\n' >"$place/fields.md"
printf '    $ printf "a\\nb\\n"\n    a\n' >"$place/line.md"
for page in good good_csv; do
    scripts/run_page "$place/$page.md" "$place" >/dev/null || { echo "$page.md fails, and should not" >&2; exit 1; }
done
for page in number word field fields line; do
    ! scripts/run_page "$place/$page.md" "$place" >/dev/null || { echo "$page.md passes, and should not" >&2; exit 1; }
done

PATH=$build:$PATH scripts/run_page docs/tutorial.md "$place"
