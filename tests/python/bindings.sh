#!/bin/sh
# The Python package, built against this library as a wheel, and its own tests (bindings/python/tests) on what the wheel
# holds. Usage: bindings.sh BUILD
# Debian's numpy belongs to /usr/bin/python3, whichever comes first on the path; TALWEG_PYTHON names another one.
set -eu
build=$1
if grep -qE '^TALWEG_(SANITIZE|COVERAGE):BOOL=ON' "$build/CMakeCache.txt"; then
    echo "skipped: an instrumented library cannot be loaded into a python that is not"
    exit 77
fi
python=${TALWEG_PYTHON:-/usr/bin/python3}
needs='import setuptools, numpy, os, pip, pytest, sys, sysconfig, wheel # setuptools must be the first
sys.exit(sys.version_info < (3, 11) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
"$python" -c "$needs" 2>/dev/null || {
    echo "skipped: $python is not Python 3.11 or later with its headers, numpy, pytest, pip, setuptools and wheel"
    exit 77
}

# (TMPDIR may be a place where nothing can be executed, and the folder that pytest makes there is one for all users.)
# Builds leave files beside setup.py: they get a copy of the package, in a tree that looks like the repository.
tree=$build/python/tree
rm -rf "$build/python"
mkdir -p "$tree/bindings"
cp -R bindings/python "$tree/bindings/python"
ln -s "$PWD/include" "$PWD/scripts" "$PWD/VERSION" "$tree"

# The package is compiled for the wheel and again by the test of an editable installation: without optimisation, since the
# library does the work, and with ccache where it is installed.
export TALWEG_BUILD="$build" TALWEG_PROGRAM="$build/talweg" PYTHONDONTWRITEBYTECODE=1 CFLAGS="-O0 -g0"
if command -v ccache >/dev/null; then
    export CC="ccache ${CC:-cc}"
fi
cd "$tree/bindings/python"
"$python" -m pip wheel -q --no-build-isolation --no-deps -w "$build/python" . >"$build/python/build.log" 2>&1 || {
    cat "$build/python/build.log" >&2
    exit 1
}
TALWEG_WHEEL=$(ls "$build/python"/talweg-*.whl)
export TALWEG_WHEEL
"$python" -m zipfile -e "$TALWEG_WHEEL" "$build/python/package"
cd tests
PYTHONPATH="$build/python/package" "$python" -m pytest -q -p no:cacheprovider --basetemp "$build/python/tmp"
rm -rf "$build/python/tmp"
