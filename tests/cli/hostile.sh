#!/bin/sh
# What nobody should give to the program: the same file twice, no name at all, pipes and devices, places that are full,
# closed streams, checkpoints that somebody wrote by hand. It refuses with one message, or does what was asked; it never
# crashes, hangs or loses a file. Usage: hostile.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
# A run that hangs fails; of time that passes nothing else depends on.
limit=$(command -v timeout || true)
talweg_itself=$talweg
talweg=$d/talweg
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${limit:+$limit 600}" "$talweg_itself" >"$talweg"
chmod +x "$talweg"
printf 'a,b,y\n1,2,1\n3,4,-1\n2,2,1\n0,1,-1\n' >"$d/good.csv"
cp "$d/good.csv" "$d/kept.csv"
small="--particles 8 --temperatures 3"
grid="--log-ell 0:1:2 --log-sigma 0:1:2"
nothing_left() { # nothing_left NAME...: none of these is there, nor a file that was not finished
    for left in "$@" "$d"/*.part; do
        [ ! -e "$left" ] || complain "$left was left behind"
    done
}

# ---- one file for two things
# shellcheck disable=SC2086 # several words
{
    refuses 1 '--output and --checkpoint name the same file' grid "$d/good.csv" $grid -o "$d/x.csv" --checkpoint "$d/x.csv"
    refuses 1 '--output and --checkpoint name the same file' grid "$d/good.csv" $grid -o "$d/x.csv" --checkpoint "$d/./x.csv"
    refuses 1 '--output and --plot name the same file' grid "$d/good.csv" $grid -o "$d/x.svg" --plot "$d/x.svg"
    refuses 1 '--output and --checkpoint name the same file' evidence "$d/good.csv" $small -o "$d/x.nc" --checkpoint "$d/x.nc"
    refuses 1 'DATA and --checkpoint name the same file' evidence "$d/good.csv" $small --checkpoint "$d/good.csv" --force
    refuses 1 '--output and DATA name the same file' grid "$d/good.csv" $grid -o "$d/../${d##*/}/good.csv" --force
    refuses 1 'DATA and --save-approx name the same file' approx "$d/good.csv" --save-approx "$d/good.csv" --force
}
refuses 1 '--output and --resume name the same file' sample "$d/good.csv" -o "$d/x.nc" --resume "$d/x.nc"
refuses 1 '--marginals and --save-approx name the same file' approx "$d/good.csv" --marginals "$d/x" --save-approx "$d/x"
ln -s good.csv "$d/link.csv"
refuses 1 'DATA and --checkpoint name the same file' sample "$d/good.csv" -o "$d/x.nc" --checkpoint "$d/link.csv" --force
nothing_left "$d"/x*
works approx "$d/good.csv" --marginals /dev/null --save-approx /dev/null
cmp -s "$d/good.csv" "$d/kept.csv" || complain "the data were written over"

# ---- no name
refuses 1 'DATA needs the name of a file, not ""' approx ''
refuses 1 '--save-approx needs the name of a file' approx "$d/good.csv" --save-approx ''
refuses 1 '--init needs the name of a file' sample "$d/good.csv" --init ''
refuses 1 'RUN... needs the name of a file' summary "$d/x.nc" ''
refuses 1 'NEWDATA needs the name of a file' predict "$d/x.nc" ''
refuses 1 'two files separated by a comma' sample "$d/good.csv" --from ,
refuses 1 'two files separated by a comma' sample "$d/good.csv" --from "$d/good.csv",
refuses 1 'unknown method ""' evidence "$d/good.csv" --method ais,

# ---- pipes and devices
works approx "$d/good.csv" --save-approx "$d/fit.json"
works sample "$d/good.csv" --draws 10 --warmup 10 -o "$d/run.nc"
mkfifo "$d/pipe"
for device in /dev/zero /dev/null; do
    [ -c "$device" ] || continue
    refuses 1 "$device: is a device" approx "$device"
    refuses 1 "$device: is a device" sample "$d/good.csv" --init "$device"
    refuses 1 "$device: is a device" sample "$d/good.csv" -o "$d/x.nc" --resume "$device"
    refuses 1 "$device: is a pipe or a device" summary "$device"
done
refuses 1 'pipe: is a pipe or a device' summary "$d/pipe" # nobody writes to it
cat "$d/fit.json" >"$d/pipe" &
works predict "$d/pipe" "$d/good.csv" -o /dev/stdout
cat "$d/good.csv" >"$d/pipe" &
works approx "$d/pipe"
refuses 1 'for standard input use /dev/stdin' approx -
wait

# ---- no room: a limit on the size of files is a full disk that needs no disk
for file in x.nc x.csv x.json; do
    code=0
    (
        ulimit -f 8
        run sample "$d/good.csv" --draws 3000 --warmup 10 --chains 4 -o "$d/$file" --quiet
        exit "$code"
    ) || code=$?
    checks=$((checks + 1))
    case $file in
        x.json) [ "$code" = 0 ] || complain "a summary in a small file: exit $code" ;;
        *)
            [ "$code" = 3 ] || complain "a file that may not grow, $file: exit $code: $(cat "$d/err")"
            says err "$file"
            says err 'File too large'
            ;;
    esac
done
nothing_left "$d/x.nc" "$d/x.csv"
rm -f "$d"/x.*
# half a figure is none, and an old one stays
if command -v gnuplot >/dev/null 2>&1; then
    plots() { # plots FILE: what was there is kept
        checks=$((checks + 1))
        code=0
        # shellcheck disable=SC2086
        (ulimit -f "$room" && exec "$talweg" grid "$d/good.csv" $grid -o /dev/null --plot "$1" --force --quiet) \
            >"$d/out" 2>"$d/err" || code=$?
        [ "$code" = 3 ] || complain "a figure without room, $1: exit $code: $(cat "$d/err")"
        grep -qE 'could not (write the whole figure|be written completely)' "$d/err" || complain "a figure without room: $(cat "$d/err")"
    }
    for file in x.svg x.png; do
        echo old >"$d/$file"
        for room in 8 16; do
            plots "$d/$file"
            [ "$(cat "$d/$file")" = old ] || complain "$file is lost for a figure without room"
        done
        ln -s /dev/full "$d/full-$file"
        room=unlimited
        [ ! -c /dev/full ] || plots "$d/full-$file"
    done
    nothing_left
    rm -f "$d"/x.* "$d"/full-*
fi

# ---- no memory: it works, says what is missing, or does not even start (its libraries are loaded first); it does not
# wait for more
for kilobytes in 150000 250000 310000 400000 450000 550000; do
    code=0
    (
        # shellcheck disable=SC3045 # dash, bash and ksh have it
        ulimit -v "$kilobytes" 2>/dev/null || exit 0
        run approx "$d/good.csv"
        exit "$code"
    ) || code=$?
    checks=$((checks + 1))
    case $code in
        0 | 12[67] | 13?) ;;
        3) says err 'memory' ;;
        1) says err 'Sanitizer' ;; # which takes terabytes of addresses
        *) complain "with $kilobytes kB of memory: exit $code: $(cat "$d/err")" ;;
    esac
done

# ---- streams that are closed
works approx "$d/good.csv" --save-approx "$d/one.json"
for streams in '<&-' '<&- 2>&-'; do
    eval "\"\$talweg\" approx \"\$d/good.csv\" --save-approx \"\$d/two.json\" --force $streams >/dev/null" ||
        complain "with closed streams ($streams): exit $?"
    [ -s "$d/two.json" ] || complain "nothing was written with closed streams ($streams)"
done
code=0
"$talweg" approx "$d/good.csv" --save-approx "$d/two.json" --force >&- 2>"$d/err" || code=$?
[ "$code" = 3 ] || complain "with standard output closed: exit $code"
says err 'standard output could not be written'
grep -q '^{' "$d/two.json" || complain "results were printed into the file"

# ---- a list of sixty thousand numbers, which is read once
list=$(awk 'BEGIN { for (i = 0; i < 60000; i++) printf "1," }')
refuses 1 '60001 length scales were given for 2 inputs' approx "$d/good.csv" --log-ell "${list}1"

# ---- checkpoints with another content and the right checksum
if [ -n "$python" ]; then
    cat >"$d/forge.py" <<'END'
# forge.py FILE TO BLOCK OFFSET WORD: the 8 bytes at OFFSET of a block (from its end, where negative) become WORD.
import struct, sys
path, to, block, offset, word = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
data = bytearray(open(path, "rb").read())
at = 16
while data[at:at + 32].split(b"\0")[0] != block.encode():
    if at + 40 >= len(data):
        sys.exit("there is no block " + block)
    at += 40 + (struct.unpack_from("<Q", data, at + 32)[0] + 7) // 8 * 8
if offset < 0:
    offset += struct.unpack_from("<Q", data, at + 32)[0]
struct.pack_into("<Q", data, at + 40 + offset, word)
total = 0xcbf29ce484222325
for (value,) in struct.iter_unpack("<Q", bytes(data[:-8])):
    total = (total ^ value) * 0x100000001b3 % 2**64
struct.pack_into("<Q", data, len(data) - 8, total)
open(to, "wb").write(data)
END
    forge() { "$python" "$d/forge.py" "$@"; }
    # A computation that would take long enough, stopped when its checkpoint is there and has this block.
    keep() { # keep FILE BLOCK ARGUMENTS...
        state=$1 block=$2
        shift 2
        nice "$talweg_itself" "$@" --quiet --checkpoint "$state" --checkpoint-every 0 >/dev/null 2>&1 &
        job=$!
        until forge "$state" "$d/forged.state" "$block" 0 0 2>/dev/null || ! kill -0 "$job" 2>/dev/null; do sleep 0.1; done
        kill -INT "$job" 2>/dev/null || true
        wait "$job" || true
        [ -s "$state" ] || complain "talweg $*: no checkpoint"
    }
    set -- "$d/good.csv" --log-ell 0:1:150 --log-sigma 0:1:150
    keep "$d/grid.state" sequence grid "$@"
    # 1000.0 points, then order 1000.0, then no number, in the state of the row; and more points than there are
    for change in 'sequence 0 4652007308841189376' 'sequence 8 4652007308841189376' \
        'sequence 0 9221120237041090560' 'counts 0 99999999'; do
        # shellcheck disable=SC2086 # three words
        forge "$d/grid.state" "$d/forged.state" $change
        refuses 1 'forged.state: this checkpoint is damaged' grid "$@" --quiet --resume "$d/forged.state"
    done
    set -- "$d/good.csv" --chains 2 --warmup 20 -o "$d/x.nc"
    keep "$d/sample.state" chains sample "$@" --draws 1000000000
    # 8 positions, whose bytes are as many modulo 2^64
    forge "$d/sample.state" "$d/forged.state" chains -8 2305843009213693960
    refuses 1 'forged.state: the saved state of this run is damaged' sample "$@" --quiet --resume "$d/forged.state"
    for change in 'choice 8 99' 'choice 16 77'; do
        # shellcheck disable=SC2086
        forge "$d/sample.state" "$d/forged.state" $change
        refuses 1 'forged.state: the saved state of this run is damaged' sample "$@" --quiet --resume "$d/forged.state" --draws 1
    done
fi
finish
