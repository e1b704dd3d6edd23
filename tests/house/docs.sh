#!/bin/sh
# What the pages point to exists: links between pages, every file of the repository that they name, and functions named as
# src/room/file.c:function.
# Usage: docs.sh [BUILD]
set -eu
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT

# Prints what is named in a page ($1) and is not there: [text](link), and src/..., tests/... and their like.
# A name with a star or capitals in the place of a name (src/ROOM/x.c) is a pattern, not a file.
missing_in() {
    folder=$(dirname "$1")
    grep -oE '\]\([^)#: ]+' "$1" | sed 's/^](//' | grep -v '^http' | while read -r link; do
        [ -e "$folder/$link" ] || echo "$1: the link $link"
    done
    grep -oE '(^|[^A-Za-z0-9_/.-])(src|tests|include|bench|examples|scripts|cmake|bindings)/[A-Za-z0-9_/.-]+' "$1" |
        sed 's/^[^a-z]//; s/[.]$//' | grep -vE '[A-Z]{2}' | while read -r name; do
        [ -e "$name" ] || ls "$name"* >/dev/null 2>&1 || echo "$1: the file $name"
    done
    grep -oE 'src/[a-z_/]+[.]c:[a-z_0-9]+' "$1" | while IFS=: read -r file function; do
        grep -qE "^[a-z].*[ *]$function\(" "$file" 2>/dev/null || echo "$1: the function $function in $file"
    done
}

# The check has teeth.
printf 'see [this](nowhere.md), src/nothing/here.c, src/ROOM/x.c and src/base/context.c:tw_nothing\n' >"$trial/page.md"
[ "$(missing_in "$trial/page.md" | wc -l)" = 3 ] || { echo "docs.sh does not see what is missing" >&2; exit 1; }

found=$(find . -name '*.md' -not -path './build/*' -not -path './demo/*' | sed 's|^\./||' | while read -r page; do
    missing_in "$page"
done)
[ -z "$found" ] || { printf 'pages that point to nothing:\n%s\n' "$found" >&2; exit 1; }
