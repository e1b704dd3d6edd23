#!/bin/sh
# The version is written down once, in VERSION; what must repeat it agrees. Usage: version.sh BUILD
set -eu
build=$1
version=$(cat VERSION)
failed=0
complain() {
    echo "$*" >&2
    failed=1
}

echo "$version" | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' || complain "VERSION holds '$version', not three numbers"
grep -qxF "Version: $version" "$build/talweg.pc" || complain "talweg.pc has another version than VERSION"
grep -qF "set(PACKAGE_VERSION \"$version\")" "$build/talwegConfigVersion.cmake" ||
    complain "talwegConfigVersion.cmake has another version than VERSION"
grep -qxF "version: $version" CITATION.cff || complain "CITATION.cff does not say 'version: $version'"
grep -qF "## [$version]" CHANGELOG.md || complain "CHANGELOG.md has no heading '## [$version]'"

# Nowhere in what is compiled or configured is it written out again.
again=$(grep -rnwF "$version" src include cmake CMakeLists.txt CMakePresets.json Makefile scripts examples || true)
[ -z "$again" ] || complain "the version is written out again:
$again"
exit $failed
