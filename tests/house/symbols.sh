#!/bin/sh
# Every external name begins with tw_: what the shared library exports, and what the static one defines. And the mistakes
# that tests ask for (src/base/fault.h) are in the tests that need them, not in the libraries and the program.
# Usage: symbols.sh BUILD
set -eu
build=$1
if grep -qE '^TALWEG_(SANITIZE|COVERAGE):BOOL=ON' "$build/CMakeCache.txt"; then
    echo "skipped: instrumentation adds names of its own"
    exit 77
fi
command -v nm >/dev/null 2>&1 || { echo "skipped: there is no nm"; exit 77; }

names() { # the last word of a line of nm that has an address and a type
    nm "$@" | awk 'NF == 3 { print $3 }' | sort -u
}

shared=$(names -D --defined-only "$build/libtalweg.so")
static=$(names -g --defined-only "$build/libtalweg.a")
echo "$shared" | grep -qx tw_version || { echo "libtalweg.so does not export tw_version" >&2; exit 1; }
echo "$static" | grep -qx tw_version || { echo "libtalweg.a does not define tw_version" >&2; exit 1; }
foreign=$(printf '%s\n%s\n' "$shared" "$static" | grep -v '^tw_' | sort -u || true)
if [ -n "$foreign" ]; then
    printf 'external names that do not begin with tw_:\n%s\n' "$foreign" >&2
    exit 1
fi

faulty() { # does it know of mistakes on demand?
    nm "$1" | grep -q ' tw_fault_asked$'
}
faulty "$build/tests/test_dynamics_riemann" || { echo "no fault can be asked for in the test that needs them" >&2; exit 1; }
for shipped in libtalweg.a libtalweg.so talweg; do
    ! faulty "$build/$shipped" || { echo "$shipped was compiled with TALWEG_FAULTS" >&2; exit 1; }
done
echo "$(echo "$shared" | wc -l) names exported, $(echo "$static" | wc -l) in the archive, all tw_"
