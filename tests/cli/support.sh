# Sourced by the tests of the program, with BUILD as $1: a place for files, and checks that count failures.
# shellcheck shell=sh
build=$1
talweg=$build/talweg
place=$(mktemp -d "$build/cli ü XXXXXX") # whoever forgets quotes learns it here
trap 'rm -rf "$place"' EXIT
failed=0
checks=0
# The first python3 of the PATH may be a script that looks for one, for a tenth of a second each time.
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3 || true)

# The files that tests make have decimal points, and the program and its clients keep the locale of the user.
awk() {
    LC_ALL=C command awk "$@"
}

complain() {
    echo "FAILED: $*" >&2
    failed=$((failed + 1))
}

# run ARGUMENTS...: talweg with these; leaves its exit code in $code and what it said in $place/out, $place/err.
run() {
    checks=$((checks + 1))
    code=0
    "$talweg" "$@" >"$place/out" 2>"$place/err" || code=$?
}

# refuses CODE WORDS ARGUMENTS...: ends with CODE, prints nothing, and says WORDS in one line of error.
refuses() {
    expected=$1 words=$2
    shift 2
    run "$@"
    [ "$code" = "$expected" ] || complain "talweg $*: exit $code, not $expected: $(cat "$place/err")"
    [ ! -s "$place/out" ] || complain "talweg $*: printed to standard output: $(head -n 2 "$place/out")"
    said='' lines=0 # read by the shell itself: there are hundreds of these
    while IFS= read -r line; do
        case $line in 'talweg: warning: '*) continue ;; esac
        said=$said$line
        case $line in '    '*) ;; *) lines=$((lines + 1)) ;; esac # further lines of a message are indented
    done <"$place/err"
    [ "$lines" = 1 ] || complain "talweg $*: not one line of error: $(cat "$place/err")"
    case $said in
        *"$words"*) ;;
        *) complain "talweg $*: did not say '$words' but: $said" ;;
    esac
    case $said in
        'talweg: error: '*) ;;
        *) complain "talweg $*: the error does not begin with 'talweg: error: '" ;;
    esac
}

# works ARGUMENTS...: ends with 0.
works() {
    run "$@"
    [ "$code" = 0 ] || complain "talweg $*: exit $code: $(cat "$place/err")"
}

# says FILE WORDS: $place/FILE holds WORDS, perhaps in two lines: where a line ends may depend on the length of a path.
says() {
    tr '\n' ' ' <"$place/$1" | grep -qF -- "$2" || complain "no '$2' in $1: $(head -n 5 "$place/$1")"
}

# await NAME [KB]: until there is more than KB kB (0) in a file of $place whose name matches, or $job has ended, or five
# minutes are over: much for a machine of today, but not for a busy one. (A job that is waited for so is niced: it should
# not be through before the shell looks again.)
await() {
    polls=0
    until [ -n "$(find "$place" -name "$1" -size "+${2:-0}k" 2>/dev/null)" ] || [ "$polls" -ge 15000 ] ||
        ! kill -0 "$job" 2>/dev/null; do
        sleep 0.02
        polls=$((polls + 1))
    done
}

# gives EXPRESSION: in Python, of the JSON object r in $place/out, it is true. Nothing is checked without Python.
gives() {
    [ -n "$python" ] || return 0
    "$python" -I -S -c 'import json, math, sys
r = json.load(open(sys.argv[1] + "/out"), parse_constant=lambda c: sys.exit("not JSON: " + c))
other = lambda name: json.load(open(sys.argv[1] + "/" + name))
sys.exit(0 if eval(sys.argv[2]) else "got " + json.dumps(r)[:400])' "$place" "$1" || complain "not so: $1"
}

# line_kernel: K of the inputs 0, 1/8, ..., 3 with --log-ell 0 --log-sigma 0.5 as $place/k.csv, its diagonal as
# $place/diagonal.csv. False without Python.
line_kernel() {
    [ -n "$python" ] || return 1
    "$python" -I -S - "$place" <<'P'
import math, sys
d = sys.argv[1]
t = [i / 8 for i in range(25)]
k = lambda a, b: math.e * math.exp(-0.5 * (a - b) ** 2)
write = lambda name, rows: open(d + "/" + name, "w").write("".join(",".join(map(repr, row)) + "\n" for row in rows))
write("k.csv", [[k(a, b) for b in t] for a in t])
write("diagonal.csv", [[k(a, a)] for a in t])
P
}

finish() {
    [ "$failed" = 0 ] || { echo "$failed of $checks runs failed" >&2; exit 1; }
    echo "$checks runs, all as they should be"
}
