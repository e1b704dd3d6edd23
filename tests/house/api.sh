#!/bin/sh
# The reference of the public headers can be made without a warning, and what is undocumented is one. Usage: api.sh BUILD
set -eu
build=$1
command -v doxygen >/dev/null 2>&1 || { echo "skipped: there is no doxygen"; exit 77; }
place=$(mktemp -d "$build/api.XXXXXX")
trap 'rm -rf "$place"' EXIT

# Warnings name the lines of the headers, so the filter may not move any.
for header in include/talweg/*.h; do
    [ "$(scripts/doxygen_filter "$header" | wc -l)" -eq "$(wc -l <"$header")" ] ||
        { echo "doxygen_filter changes the number of lines of $header" >&2; exit 1; }
done

scripts/api "$place/good" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
grep -q "tw_ais_run" "$place/good/evidence_8h.html" || { echo "evidence.h has no page" >&2; exit 1; }

# try LINE WORD: a tree like this one with that line in run.h must fail, and the log name the word.
mkdir -p "$place/tree/include/talweg"
cp -R scripts "$place/tree/scripts"
mkdir "$place/tree/docs"
cp docs/Doxyfile docs/api.md "$place/tree/docs"
cp VERSION "$place/tree"
try() {
    cp include/talweg/*.h "$place/tree/include/talweg"
    sed "s|^typedef struct tw_run tw_run;|&\n\n$1\n|" include/talweg/run.h >"$place/tree/include/talweg/run.h"
    if "$place/tree/scripts/api" "$place/bad" >"$place/log" 2>&1 || ! grep -q "$2" "$place/log"; then
        echo "api.sh: '$1' passed unseen" >&2
        cat "$place/log" >&2
        exit 1
    fi
}
try "TW_API void tw_unheard_of(void);" "tw_unheard_of"
try "typedef struct tw_mute { int n; } tw_mute;" "tw_mute"
try "/* See @nowhere. */ TW_API void tw_lost(void);" "nowhere"
