#!/bin/sh
# Every way to call the program wrongly, over every command: the right exit code, one paragraph on standard error that
# begins with "talweg: error: ", and nothing on standard output. What is wrong with the contents of data files is in
# bad_input.sh. Usage: errors.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works --help
commands=$(sed -n '/^Usage/,/^  talweg help/s/^  \([a-z]*\)  .*/\1/p' "$d/out")

# ---- the program itself
refuses 1 'no command was given'
refuses 1 "unknown command 'frobnicate'; choose from: approx, " frobnicate
refuses 1 "unknown command 'sampel' (did you mean sample?)" sampel
refuses 1 "unknown command '--verison'" --verison
refuses 1 "unknown command ''" ''
refuses 1 "unknown command 'sampel' (did you mean sample?)" help sampel
refuses 1 "unexpected argument 'x' of talweg --version" --version x
refuses 1 "unexpected argument 'x' of talweg help" help sample x
refuses 1 "unexpected argument 'x' of talweg --man-page" --man-page x
refuses 1 'needs the name of a shell' --completion
refuses 1 'needs the name of a shell' --completion fish
refuses 1 'unexpected argument' --completion bash x

# ---- options that every command takes, whether or not it has a use for them
printf '1,1\n2,-1\n3,1\n' >"$d/small.csv"
works approx --quiet --json --seed 7 --threads 2 --checkpoint "$d/none" --resume "$d/none" "$d/small.csv"
refuses 1 '--seed needs a whole number' approx "$d/none" --seed x
refuses 1 '--threads must be from 0 to 64, not 65' approx "$d/small.csv" --threads 65
refuses 1 '--threads must be from 0 to 64, not 1e+09' fit "$d/small.csv" --threads 1e9

# ---- every option of every command: misspelt, without its value, with a value that it cannot have. An option that
# another command has in the same words is the same row of a table, and only its value is missed again. All the words
# that are no number go to one option of each command: a single function reads them. There are a thousand of these calls:
# they go to $d/calls, and build/tests/refusals makes them all in one process.
tab=$(printf '\t')
# refused WORDS ARGUMENTS...: as refuses 1, later
refused() {
    words=$1
    shift
    row="1$tab$words"
    for argument_ in "$@"; do row=$row$tab$argument_; done
    printf '%s\n' "$row" >>"$d/calls"
}
: >"$d/helps"
for command in $commands; do
    works "$command" --help
    echo "@$command" >>"$d/helps"
    sed '/^Examples:/q' "$d/out" >>"$d/helps"
done
# one row for each option: its command, its name, "seen" or "new", ten times its upper limit and more, its argument ("-":
# it is a flag, and more than one blank follows it), what the help says of it: "(from A to B" and the like
awk '
    function put() {
        if (name == "") return
        gsub(/[ \t]+/, " ", text)
        most = text
        if (!sub(/.*\(from [^ ]* to /, "", most)) most = 0
        sub(/[,)].*/, "", most)
        printf "%s %s %s %.0f %s %s\n", command, name, (text in seen ? "seen" : "new"), 10 * most + 10, argument, text
        seen[text] = 1
        name = ""
    }
    /^@/ { put(); command = substr($0, 2); next }
    /^  (-[a-z], )?--[a-z-]+/ {
        put()
        option = $1 ~ /^--/ ? 1 : 2
        name = substr($option, 3)
        argument = $0 ~ ("--" name " [^ ]") ? $(option + 1) : "-"
        text = $0
        next
    }
    /^   / { text = text " " $0; next }
    { put() }
    END { put() }
' "$d/helps" >"$d/options"
while read -r command name seen beyond argument text; do
    if [ "$argument" = - ]; then
        refused "--$name takes no value, but \"yes\" was given" "$command" "--$name=yes"
    else
        refused "--$name needs a value: --$name $argument" "$command" "--$name"
    fi
    [ "$seen" = new ] || continue
    refused 'has no option "--zz-' "$command" "--zz-$name"
    case $name in
        ??????*) refused "(did you mean --$name?)" "$command" "--${name%?}_" ;;
    esac
    [ "$argument" != - ] || continue
    refused "--$name needs a value: --$name $argument" "$command" "--$name" --quiet
    case $argument in
        [A-Z]) # a number
            refused "--$name needs a" "$command" "--$name" nan
            if [ "$command" != "${words_tried:-}" ]; then
                for value in abc 1x 1e999 ''; do
                    refused "--$name needs a" "$command" "--$name" "$value"
                done
                words_tried=$command
            fi
            ;;
        X\[,X...\]) refused "--$name needs a number, or several" "$command" "--$name" 1,,2 ;;
    esac
    case $text in
        *'(above 0'*) refused "--$name must be above 0, not -1" "$command" "--$name" -1 ;;
        *'(from '*) refused "--$name must be from " "$command" "--$name" "$beyond" ;;
    esac
    case $text in
        *" --$name NAME "*) refused "unknown $name \"zzz\"; choose from: " "$command" "--$name" zzz ;;
    esac
done <"$d/options"
for command in $commands; do
    refused 'has no option "-Z"' "$command" -Z
    [ "$(grep -c "^$command " "$d/options")" -ge 4 ] || complain "the options of talweg $command"
    refused 'has no option "---"' "$command" ---
    refused 'has no option "--="' "$command" --=
done
"$build/tests/refusals" "$d/calls" || complain "$d/calls: see above"
checks=$((checks + $(wc -l <"$d/calls")))
# The program says the same with its exit code and the head of an error.
refuses 1 'has no option "--zz"' sample --zz
refuses 1 '--draws needs a' sample --draws abc
refuses 1 '--draws must be from ' sample --draws 0

# ---- what is wrong with a file that a command begins with
printf 'a,b,y\n1,2,1\n3,4,-1\n2,2,1\n0,1,-1\n' >"$d/good.csv"
: >"$d/empty.csv"
: >"$d/empty.nc"
mkdir "$d/folder" "$d/folder.csv"
head -c 3000 "$talweg" >"$d/garbage.csv"
cp "$d/garbage.csv" "$d/garbage.nc"
printf 'a,b\n"1,2\n' >"$d/open quote.csv"
first_operand() { # first_operand COMMAND: the name of its first operand, if it needs one
    "$talweg" "$1" --help | sed -n '1s/^Usage: talweg [a-z]* \([A-Z][A-Z.]*\).*/\1/p'
}
for command in $commands; do
    operand=$(first_operand "$command")
    if [ -n "$operand" ]; then refuses 1 "talweg $command needs $operand: " "$command"; fi
    case $operand in
        '') continue ;;
        DATA) ending=csv ;;
        *) ending=nc ;;
    esac
    set -- "$d/good.csv"
    [ "$command" = predict ] || set --
    for file in folder empty.$ending garbage.$ending; do
        refuses 1 "$file" "$command" "$d/$file" "$@"
    done
    refuses 1 "absent.$ending: cannot be opened: No such file or directory" "$command" "$d/absent.$ending" "$@"
    refuses 1 "folder/absent/x.$ending" "$command" "$d/folder/absent/x.$ending" "$@"
    refuses 1 'good.csv/x' "$command" "$d/good.csv/x" "$@"
    if [ "$(id -u)" != 0 ]; then
        cp "$d/good.csv" "$d/closed.$ending" && chmod a-r "$d/closed.$ending"
        refuses 1 'Permission denied' "$command" "$d/closed.$ending" "$@"
        rm -f "$d/closed.$ending"
    fi
done
refuses 1 'unexpected argument' approx "$d/good.csv" x
refuses 1 "$(printf 'with?newline')" approx "$d/$(printf 'with\nnewline')"

# ---- files that options name
works approx "$d/good.csv" --save-approx "$d/fit.json"
for file in absent.csv folder empty.csv garbage.csv; do
    refuses 1 "$file" approx "$d/good.csv" --kernel-matrix "$d/$file"
    refuses 1 "$file" sample "$d/good.csv" --quiet --init "$d/$file"
    refuses 1 "$file" sample "$d/good.csv" --quiet --from "$d/$file"
    refuses 1 "$file" sample "$d/good.csv" --quiet --from "$d/good.csv,$d/$file"
    refuses 1 "$file" evidence "$d/good.csv" --from "$d/$file"
    refuses 1 "$file" evidence "$d/good.csv" --schedule "$d/$file"
    refuses 1 "$file" grid "$d/good.csv" --test "$d/$file"
    refuses 1 "$file" predict "$d/fit.json" "$d/$file"
done

# ---- places that cannot be written, found before anything is computed
cd "$d"
for place_ in absent/x folder.csv good.csv/x; do
    for call in 'approx good.csv --marginals' 'approx good.csv --save-approx' 'sample good.csv -o' 'grid good.csv -o' \
        'predict fit.json good.csv -o'; do
        case $place_ in *.csv) file=$d/$place_ ;; *) file=$d/$place_.csv ;; esac
        # shellcheck disable=SC2086 # the words are meant to be split
        refuses 3 'cannot be written: ' $call "$file"
    done
done
cp "$d/good.csv" "$d/there.csv"
for call in 'approx good.csv --marginals' 'sample good.csv -o' 'grid good.csv -o'; do
    # shellcheck disable=SC2086
    refuses 1 'there.csv already exists; use --force' $call "$d/there.csv"
done
refuses 3 'cannot be created: ' demo --directory "$d/good.csv/demo"
refuses 3 'cannot be ' demo --directory "$d/absent/demo"

# ---- standard output: full, closed, or with nobody who reads it. What was computed is lost, and said to be.
# loses WORDS ARGUMENTS...: talweg with these, its output going where the function into_it sends it
loses() {
    words=$1
    shift
    checks=$((checks + 1))
    code=0
    into_it "$@" 2>"$d/err" || code=$?
    [ "$code" = 3 ] || complain "talweg $* with nowhere to write: exit $code: $(cat "$d/err")"
    [ "$(grep -c '^talweg: error: ' "$d/err")" = 1 ] || complain "talweg $*: not one error: $(cat "$d/err")"
    grep -qE "standard output could not be written: ($words|an earlier write failed)\$" "$d/err" ||
        complain "talweg $*: $(cat "$d/err")"
}
lose_all() {
    loses "$1" --version
    loses "$1" --help
    loses "$1" help sample
    loses "$1" --man-page
    loses "$1" --completion bash
    loses "$1" --completion zsh
    for command in $commands; do loses "$1" "$command" --help; done
    loses "$1" approx "$d/good.csv"
    loses "$1" approx "$d/good.csv" --json
    loses "$1" sample "$d/good.csv" --quiet --method hmc --warmup 20 --draws 20
    loses "$1" sample "$d/good.csv" --quiet --method hmc --warmup 20 --draws 20 --json
    loses "$1" evidence "$d/good.csv" --particles 32 --temperatures 5
    loses "$1" grid "$d/good.csv" --log-ell 0:1:2 --log-sigma 0:1:2
    loses "$1" predict "$d/fit.json" "$d/good.csv" -o "$d/lost.csv" --force
    loses "$1" bench --cases 10
}
into_it() { "$talweg" "$@" >&-; }
lose_all 'Bad file descriptor'
if [ -c /dev/full ]; then
    into_it() { "$talweg" "$@" >/dev/full; }
    lose_all 'No space left on device'
fi
# A closed stream is no place for files either: what should have been printed must not end up in one of them.
checks=$((checks + 1))
code=0
"$talweg" approx "$d/good.csv" --marginals "$d/marginals.csv" >&- 2>"$d/err" <&- || code=$?
[ "$code" = 3 ] || complain "standard output and input closed: exit $code"
[ "$(wc -l <"$d/marginals.csv")" = 5 ] || complain "the marginals: $(cat "$d/marginals.csv")"
"$talweg" approx "$d/good.csv" --marginals "$d/more.csv" >"$d/out" 2>&- <&- || complain "standard error closed: exit $?"
cmp -s "$d/more.csv" "$d/marginals.csv" || complain "with standard error closed: $(cat "$d/more.csv")"

# A reader who goes away is no reason to leave files unwritten.
checks=$((checks + 1))
{ "$talweg" predict "$d/fit.json" "$d/good.csv" --json -o "$d/p.csv" 2>"$d/err" || echo $? >"$d/code"; } | :
[ -s "$d/p.csv" ] || complain "no predictions for want of a reader: $(cat "$d/err")"

# ---- results are printed before an end with 2, and marked
run evidence "$d/good.csv" --from prior --schedule linear --temperatures 1 --method ais --particles 4 --until-se 1e-5 --max-particles 8
[ "$code" = 2 ] || complain "a goal that was missed: exit $code"
says out 'log Z (nats)'
[ "$(grep -c '^talweg: error: ' "$d/err")" = 1 ] || complain "not one error: $(cat "$d/err")"
finish
