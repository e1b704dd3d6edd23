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

# The comparison has teeth: another word, a number too far off, and a line too many are seen.
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a 1.050 b"\n    a 1.000 b\n' >"$place/good.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a 1.200 b"\n    a 1.000 b\n' >"$place/number.md"
printf '<!-- within 0.1 and 10 %% -->\n\n    $ echo "a 1.000 c"\n    a 1.000 b\n' >"$place/word.md"
printf '    $ printf "a\\nb\\n"\n    a\n' >"$place/line.md"
scripts/run_page "$place/good.md" "$place" >/dev/null || { echo "a good page fails" >&2; exit 1; }
for page in number word line; do
    ! scripts/run_page "$place/$page.md" "$place" >/dev/null || { echo "$page.md passes, and should not" >&2; exit 1; }
done

PATH=$build:$PATH scripts/run_page docs/tutorial.md "$place"
