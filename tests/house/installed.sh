#!/bin/sh
# make install builds what it installs and no more. The installed program runs, and the installed copy is enough to
# build another: with pkg-config (shared and static), with CMake (both), and, for the headers, with a C++ compiler.
# Usage: installed.sh BUILD
set -eu
build=$1
cache_value() {
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}

if [ "$(cache_value TALWEG_SANITIZE)" = ON ] || [ "$(cache_value TALWEG_COVERAGE)" = ON ]; then
    echo "skipped: an instrumented library needs an instrumented program"
    exit 77
fi
cc=$(cache_value CMAKE_C_COMPILER)
libdir=$(cache_value CMAKE_INSTALL_LIBDIR)
expected="talweg $(cat VERSION)"
place=$(mktemp -d "$build/installed.XXXXXX")
trap 'rm -rf "$place"' EXIT
prefix="$place/a b"

run() { # run PROGRAM: it must print the version in its first line
    got=$("$@" | head -n 1) # further lines of --version: what it was built with
    [ "$got" = "$expected" ] || { echo "$*: printed '$got', not '$expected'" >&2; exit 1; }
    echo "works: $*"
}

# What make install builds: neither tests nor benchmarks, nor the transcription of the report.
cmake --preset install -B "$place/preset" >/dev/null
unwanted=$(cmake --build "$place/preset" --target help | grep -E '^(\.\.\. )?(test|fuzz|bench)_' || true)
[ -z "$unwanted" ] || { echo "make install would build $unwanted" >&2; exit 1; }
grep -q '^TALWEG_LITERAL:BOOL=OFF' "$place/preset/CMakeCache.txt" || { echo "TALWEG_LITERAL is on" >&2; exit 1; }

cmake --install "$build" --prefix "$place/first" >/dev/null
mv "$place/first" "$prefix" # an installed tree may be moved
export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"

run "$prefix/$(cache_value CMAKE_INSTALL_BINDIR)/talweg" --version
for file in man/man1/talweg.1 bash-completion/completions/talweg zsh/site-functions/_talweg; do
    [ -s "$prefix/$(cache_value CMAKE_INSTALL_DATAROOTDIR)/$file" ] || { echo "$file is not installed" >&2; exit 1; }
done

# compile PKG-CONFIG'S-OPTIONS COMMAND...: with the flags that it gives, which a shell must read because names have blanks
# shellcheck disable=SC2086 # the options are meant to be split
compile() {
    flags=$(pkg-config $1 talweg)
    shift
    eval "\"\$@\" $flags"
}
compile '--cflags --libs' "$cc" -std=c11 -Wall -Wextra -Werror examples/consumer/main.c -o "$place/shared"
run env LD_LIBRARY_PATH="$prefix/$libdir" "$place/shared"

cmake -S examples/consumer -B "$place/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$place/cmake" >/dev/null
run "$place/cmake/consumer"
run "$place/cmake/consumer_static"
if ldd "$place/cmake/consumer_static" 2>/dev/null | grep -q libtalweg; then
    echo "talweg::static linked the shared library" >&2
    exit 1
fi

if command -v c++ >/dev/null 2>&1; then
    echo '#include <talweg/talweg.h>' >"$place/header.cc"
    compile --cflags c++ -Wall -Wextra -Werror -fsyntax-only "$place/header.cc"
    echo "works: the headers in C++"
fi

rm -f "$prefix/$libdir"/libtalweg.so* "$prefix/$libdir"/libtalweg*.dylib
compile '--cflags --static --libs' "$cc" -std=c11 examples/consumer/main.c -o "$place/static"
run "$place/static"

# make install and make uninstall take a PREFIX with a blank; what is not talweg's stays.
make -n install PREFIX='a b' TALWEG_NO_SETUP=1 | grep -qF -- '--prefix "a b"' || { echo "make install splits its PREFIX" >&2; exit 1; }
echo >"$prefix/share/mine"
make uninstall PREFIX="$prefix" >/dev/null
left=$(cd "$prefix" && find . -type f -o -type l -o -name 'talweg*')
[ "$left" = ./share/mine ] || { echo "make uninstall leaves $left" >&2; exit 1; }
left=$(cd "$prefix" && find . -type d | sort | tr '\n' ' ')
[ "$left" = '. ./share ' ] || { echo "make uninstall leaves the folders $left" >&2; exit 1; }
# Of folders those that were made go, after two installations too, and others stay, empty or not.
mkdir -p "$place/old/bin" "$place/old/share/man"
for tree in new old; do
    cmake --install "$build" --prefix "$place/$tree" >/dev/null
    cmake --install "$build" --prefix "$place/$tree" >/dev/null
    make uninstall PREFIX="$place/$tree" >/dev/null
done
[ ! -e "$place/new" ] || { echo "make uninstall leaves $(cd "$place/new" && find .)" >&2; exit 1; }
left=$(cd "$place/old" && find . | sort | tr '\n' ' ')
[ "$left" = '. ./bin ./share ./share/man ' ] || { echo "make uninstall leaves $left" >&2; exit 1; }
# A second time there is nothing to remove, which it says.
{ make uninstall PREFIX="$prefix" 2>&1 || true; } | tr '\n' ' ' | grep -q 'talweg is not installed under' ||
    { echo "make uninstall does not say that talweg is not there" >&2; exit 1; }
! make uninstall PREFIX="$prefix" >/dev/null 2>&1 || { echo "make uninstall finds talweg where it is not" >&2; exit 1; }
echo "works: make uninstall"
