#!/bin/sh
# Checkpoints: a computation that is killed (kill -9) at some moment and gone on with gives what it would have given
# otherwise, to the bit; a checkpoint of another one is refused, and why is said. Usage: resume.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
works demo --data-only --directory "$d/demo" --cases 50 --test-cases 10
data=$d/demo/two_classes.csv
ck=$d/checkpoint

# killed SECONDS ARGUMENTS...: start talweg, wait for its checkpoint, kill it SECONDS later. Leaves the checkpoint;
# whether it was killed before its end is in $in_time.
killed() {
    checks=$((checks + 1))
    pause=$1
    shift
    rm -f "$ck"
    nice "$talweg" "$@" --checkpoint "$ck" --checkpoint-every 0.02 >"$d/killed.out" 2>"$d/killed.err" &
    job=$!
    await checkpoint
    sleep "$pause"
    kill -KILL "$job" 2>/dev/null || true
    code=0
    wait "$job" 2>/dev/null || code=$?
    in_time=no
    [ "$code" != 137 ] || in_time=yes
    # killed between the last character of its output and its end: all was done
    [ "$(tail -n 1 "$d/killed.out")" != "}" ] || in_time=no
    [ "$in_time" = no ] || [ ! -s "$d/killed.out" ] || complain "talweg $*: printed before its end"
}
without_times() {
    sed 's/"[a-z_]*seconds":[^,}]*//g; /seconds/d; /"files":/d' "$1"
}
goes_on=0 # how often there was something to go on with
# same ARGUMENTS...: killed after its first checkpoint and gone on with, the output is the same
same() {
    works "$@"
    without_times "$d/out" >"$d/whole"
    killed "$moment" "$@"
    if [ "$in_time" = no ] || [ ! -s "$ck" ]; then return; fi
    goes_on=$((goes_on + 1))
    works "$@" --resume "$ck"
    without_times "$d/out" | cmp -s - "$d/whole" || complain "talweg $*: another result after a kill at $moment s"
    [ ! -e "$ck" ] || complain "talweg $*: the checkpoint is left"
}

# ---- grid: points
moment=0
same grid "$data" --log-ell -1:2:20 --log-sigma 0:3:20 --json --quiet

# ---- unknown parameters: between two rows of points
same evidence "$data" --prior default --points 256 --json --quiet

# ---- evidence: methods that are done, AIS and resample-move between two temperatures, parallel tempering between two
# rounds; with a goal, between two runs
# (kills right after the first checkpoint and a tenth of a second later take turns)
for options in '--method ais,ais-reverse,pt,rm --particles 64 --rounds 30' '--kernel-method ess --method ais-reverse --particles 400' \
    '--from prior --method ais --temperatures 100 --particles 40 --until-se 0.2' '--method pt --rounds 60' \
    '--from prior --method rm --particles 600' '--method rm,pt --particles 64 --rounds 30 --until-se 0.02'; do
    [ "$moment" = 0 ] && moment=0.1 || moment=0
    # shellcheck disable=SC2086 # the options are meant to be split
    same evidence "$data" --log-sigma 1.5 --json --quiet $options
done
[ "$goes_on" -ge 3 ] || complain "only $goes_on computations were killed before their end"

# a resumed command overwrites the file that the first part may have written
set -- evidence "$data" --log-sigma 1.5 --quiet --method pt --rounds 60 -o "$d/earlier.json"
killed 0 "$@"
if [ "$in_time" = yes ] && [ -s "$ck" ]; then
    echo '{}' >"$d/earlier.json"
    works "$@" --resume "$ck"
    grep -q stepping-stone "$d/earlier.json" || complain "evidence --resume does not overwrite its file"
fi

# ---- sample: chains, whose draws are in the run file; in warm-up the choice of the pilots
# same_runs A B: all groups, variables and attributes of two run files, but for dates, times and command lines
readable=$(/usr/bin/python3 -c 'import netCDF4' 2>/dev/null && echo yes || echo no)
same_runs() {
    [ "$readable" = yes ] || return 0
    /usr/bin/python3 - "$1" "$2" <<'END' || complain "$1 and $2 are not the same"
import sys
import netCDF4
import numpy as np

def compare(a, b):
    assert set(a.variables) == set(b.variables) and set(a.groups) == set(b.groups), a.path
    for name in a.variables:
        x, y = a[name][...], b[name][...]
        same = x.tolist() == y.tolist() if x.dtype == object else np.ma.filled(x).tobytes() == np.ma.filled(y).tobytes()
        assert x.shape == y.shape and same, a.path + "/" + name
    for name in a.ncattrs():
        if not name.endswith("seconds") and name not in ("created_at", "command"):
            assert np.all(a.getncattr(name) == b.getncattr(name)), name
    for name in a.groups:
        compare(a[name], b[name])

compare(netCDF4.Dataset(sys.argv[1]), netCDF4.Dataset(sys.argv[2]))
END
}
goes_on=0
moments='0 0.2'
for options in '--draws 4000 --chains 4 --warmup 100' '--method ess --draws 1500 --chains 4 --thin 5 --warmup 50' \
    '--method rmhmc --draws 60 --thin 2 --warmup 30 --chains 2 --summary-only'; do
    # shellcheck disable=SC2086
    set -- sample "$data" --log-sigma 1.5 --json --quiet --seed 3 $options
    works "$@" -o "$d/whole.nc" --force
    cp "$d/out" "$d/whole"
    for moment in $moments; do
        rm -f "$d"/part.nc*
        killed "$moment" "$@" -o "$d/part.nc"
        if [ "$in_time" = no ] || [ ! -s "$ck" ]; then continue; fi
        goes_on=$((goes_on + 1))
        works "$@" -o "$d/part.nc" --resume "$ck"
        without_times "$d/out" >"$d/rest"
        without_times "$d/whole" | cmp -s - "$d/rest" || complain "sample $options: another result after a kill at $moment s"
        same_runs "$d/whole.nc" "$d/part.nc"
        if [ -e "$ck" ] || [ -e "$d/part.nc.journal" ]; then complain "sample $options: something is left"; fi
    done
    moments=0
done
[ "$goes_on" -ge 2 ] || complain "only $goes_on runs were killed before their end"

# ---- Ctrl-C: what there is, and a checkpoint to go on from
if env --default-signal=INT true 2>/dev/null; then
    checks=$((checks + 1))
    rm -f "$ck"
    nice env --default-signal=INT "$talweg" grid "$data" --log-ell -1:2:30 --log-sigma 0:3:30 --json --checkpoint "$ck" \
        --checkpoint-every 0.02 >"$d/out" 2>"$d/err" &
    job=$!
    await checkpoint
    kill -INT "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" = 3 ] || complain "grid and Ctrl-C: exit $code"
    [ ! -s "$d/out" ] || complain "grid and Ctrl-C: printed"
    says err 'talweg: error: interrupted after '
    says err "to continue, run the same command with --resume $ck"
    [ -s "$ck" ] || complain "grid and Ctrl-C: no checkpoint"
    works grid "$data" --log-ell -1:2:30 --log-sigma 0:3:30 --json --resume "$ck"
    gives 'len(r["points"]) == 900 and all(p["ep"] is not None for p in r["points"])'

    # a run that was interrupted has a file, which is gone on with, here for one draw more than at first
    set -- sample "$data" --log-sigma 1.5 --json --method hmc --warmup 50 --draws 16000 --chains 2
    works "$@" --quiet -o "$d/whole.nc" --force --draws 16001
    checks=$((checks + 1))
    rm -f "$ck" "$d"/part.nc*
    nice env --default-signal=INT "$talweg" "$@" -o "$d/part.nc" --checkpoint "$ck" >"$d/out" 2>"$d/err" &
    job=$!
    await part.nc.journal 64 # draws are there
    kill -INT "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" = 0 ] || complain "sample and Ctrl-C: exit $code: $(cat "$d/err")"
    gives 'r["interrupted"] and r["draws"] < 16000'
    made=$(sed -n 's/.*"draws": *\([0-9]*\).*/\1/p' "$d/out" | head -n 1)
    says err "to continue, run the same command with --resume $ck"
    cp "$ck" "$d/sample_state"
    works "$@" --quiet -o "$d/part.nc" --resume "$ck" --draws 16001
    gives 'r["draws"] == 16001 and not r["interrupted"]'
    same_runs "$d/whole.nc" "$d/part.nc"

    # draws that are not those of the checkpoint, no file at all
    works "$@" --quiet --draws "$made" --seed 9 -o "$d/other.nc"
    for file in other absent; do
        cp "$d/sample_state" "$ck"
        refuses 1 "$file.nc" "$@" --quiet -o "$d/$file.nc" --resume "$ck"
    done
fi
refuses 1 '--checkpoint needs -o FILE.nc' sample "$data" --checkpoint "$d/x"
refuses 1 '--checkpoint needs -o FILE.nc' sample "$data" --checkpoint "$d/x" -o "$d/x.csv"
refuses 1 '--checkpoint cannot be used with --stan-csv' sample "$data" --checkpoint "$d/x" -o "$d/x.nc" --stan-csv "$d/x"

# ---- what is refused
killed 0 grid "$data" --log-ell -1:2:40 --log-sigma 0:3:40 --quiet
[ -s "$ck" ] || complain "no checkpoint to try things with"
cp "$ck" "$d/good"
set -- grid "$data" --log-ell -1:2:40 --log-sigma 0:3:40
refuses 1 'already exists: resume from it (--resume ' "$@" --checkpoint "$ck"
refuses 1 'it was made with --log-sigma 0:3:40, but this is --log-sigma 0:3:41' \
    grid "$data" --log-ell -1:2:40 --log-sigma 0:3:41 --resume "$ck"
refuses 1 'it was made with --standardise off, but this is --standardise on' "$@" --standardise --resume "$ck"
refuses 1 'it was made with --seed 1, but this is --seed 2' "$@" --seed 2 --resume "$ck"
refuses 1 'it was made by talweg grid, not talweg evidence' evidence "$data" --resume "$ck"
sed 's/^-*[0-9]/7/' "$data" >"$d/other.csv"
refuses 1 'it was made with different contents of DATA' grid "$d/other.csv" --log-ell -1:2:40 --log-sigma 0:3:40 --resume "$ck"
refuses 1 'cannot be opened' "$@" --resume "$d/absent"
refuses 1 'this is not a talweg checkpoint' "$@" --resume "$data"
: >"$d/empty"
refuses 1 'this is not a talweg checkpoint' "$@" --resume "$d/empty"
refuses 1 'is a directory' "$@" --resume "$d/demo"
# one of an earlier version, which did not say its format, and one of a later one: the message names both formats
"$python" - "$d/good" "$d/old" "$d/new" <<'END'
import struct, sys

good = open(sys.argv[1], "rb").read()[:-8]
at = good.index(b"format\0")


def write(path, words):
    total = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack("=Q", words):
        total = (total ^ word) * 0x100000001B3 % 2**64
    open(path, "wb").write(words + struct.pack("=Q", total))


write(sys.argv[2], good.replace(b"format\0", b"former\0"))
write(sys.argv[3], good[: at + 40] + struct.pack("=Q", 99) + good[at + 48 :])
END
refuses 1 'this checkpoint has format 1, but talweg ' "$@" --resume "$d/old"
refuses 1 'this checkpoint has format 99, but talweg ' "$@" --resume "$d/new"
head -c 2000 "$d/good" >"$d/cut"
refuses 1 'checkpoint' "$@" --resume "$d/cut"
refuses 3 'cannot be written' "$@" --checkpoint "$d/absent/x"
refuses 1 '--checkpoint-every must be from 0' "$@" --checkpoint "$d/x" --checkpoint-every -1
cmp -s "$ck" "$d/good" || complain "a refusal changed the checkpoint"

# what a process left that was killed while it wrote a checkpoint is replaced and removed, another's file is not touched
cp "$ck" "$d/kept"
: >"$ck.talweg.part"
: >"$ck.part"
works "$@" --resume "$ck"
[ ! -e "$ck.talweg.part" ] || complain "$ck.talweg.part is left"
[ -e "$ck.part" ] || complain "$ck.part was removed"
cp "$d/kept" "$ck"

# so is the lock of one that was killed before it had saved anything, unless it is held
left=$d/.nothing.talweg.lock
: >"$left"
refuses 1 'nothing: cannot be opened' "$@" --resume "$d/nothing"
[ ! -e "$left" ] || complain "a lock that nobody holds is left"
if command -v flock >/dev/null 2>&1; then
    (
        flock 9
        run "$@" --resume "$d/nothing"
    ) 9>"$left"
    [ -e "$left" ] || complain "a lock that is held was removed"
    rm -f "$left"
fi

# a checkpoint that can never be written is warned of once
works "$@" --checkpoint /dev/full --checkpoint-every 0 --force
[ "$(grep -c 'warning.*/dev/full' "$d/err")" = 1 ] || complain "a full disk: $(grep -c warning "$d/err") warnings: $(head -n 3 "$d/err")"

# the same data under another name, other threads, another way to print: that is the same computation
cp "$data" "$d/copy.csv"
works grid "$d/copy.csv" --log-ell -1:2:40 --log-sigma 0:3:40 --threads 1 --resume "$ck" -o "$d/table.csv"
[ "$(wc -l <"$d/table.csv")" = 1601 ] || complain "the table of a resumed grid: $(wc -l <"$d/table.csv") lines"
finish
