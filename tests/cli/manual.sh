#!/bin/sh
# Help, the manual page and completion in shells: from the same tables, so all of them have every option of every
# command; and each is right for the program that reads it. Usage: manual.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

works --help
commands=$(sed -n '/^Usage/,/^  talweg help/s/^  \([a-z]*\)  .*/\1/p' "$d/out")
case $commands in *approx*sample*demo*) ;; *) complain "the list of commands: $commands" ;; esac
works help
cp "$d/out" "$d/help"
works -h
cmp -s "$d/out" "$d/help" || complain "talweg -h is not talweg help"

# ---- the manual page
works --man-page
cp "$d/out" "$d/talweg.1"
cmp -s "$d/talweg.1" "$build/man/talweg.1" || complain "the page that was built is another one"
if command -v mandoc >/dev/null 2>&1; then
    # An unreleased version has no date.
    mandoc -T lint "$d/talweg.1" >"$d/lint" 2>&1 || true
    ! grep -v 'missing date' "$d/lint" >"$d/complaints" || complain "mandoc: $(cat "$d/complaints")"
    mandoc -T utf8 "$d/talweg.1" | col -b | grep -q 'TALWEG EVIDENCE' || complain "mandoc shows no page"
fi
if command -v man >/dev/null 2>&1 && man --version 2>/dev/null | grep -q '^man 2'; then
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$d/talweg.1" 2>"$d/warnings" >/dev/null || true
    [ ! -s "$d/warnings" ] || complain "man: $(cat "$d/warnings")"
fi
# Text as the page has it: dashes, quotes and the like as they are typed.
sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\(ga/`/g; s/\\&//g; s/\\e/\\/g' "$d/talweg.1" >"$d/page"

# options_of COMMAND: its options as its help lists them, one in a line.
options_of() {
    sed -n '/^Examples:/q; s/^  \(-[a-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' "$d/help_$1"
}
for command in $commands; do
    works "$command" --help
    cp "$d/out" "$d/help_$command"
    works help "$command"
    cmp -s "$d/out" "$d/help_$command" || complain "talweg help $command is not talweg $command --help"
    says out "Usage: talweg $command"
    says out 'Examples:'
    says out "  talweg $command"
    [ -z "$(sed '/^Examples:/,$d' "$d/out" | awk 'length > 79')" ] || complain "talweg $command --help is too wide"
    name=$(echo "$command" | tr '[:lower:]' '[:upper:]')
    sed -n "/^\.SH TALWEG $name\$/,/^\.SH TALWEG [^$name]/p" "$d/page" >"$d/section"
    [ -n "$(options_of "$command")" ] || complain "no options of talweg $command"
    for option in $(options_of "$command"); do
        grep -qE "^\.B (-[a-z], )?$option( |\$)" "$d/section" || complain "talweg.1 lacks $option of $command"
    done
    # a number has its default or says what happens without, and examples are in the page
    grep -qF "$(sed -n '/^Examples:/{n;p;}' "$d/out" | cut -c 3-30)" "$d/page" || complain "no example of $command in talweg.1"
done

# ---- bash
works --completion bash
cp "$d/out" "$d/talweg.bash"
cmp -s "$d/talweg.bash" "$build/completion/talweg.bash" || complain "the completion that was built is another one"
if command -v shellcheck >/dev/null 2>&1; then
    shellcheck -s bash "$d/talweg.bash" || complain "shellcheck does not like the completion"
fi
# offers EXPECTED WORD...: what bash offers for the last WORD, in the order of the alphabet
offers() {
    checks=$((checks + 1))
    expected=$1
    shift
    got=$(cd "$d" && bash -c '. ./talweg.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_talweg
[ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' talweg "$@" | LC_ALL=C sort | tr '\n' ' ')
    got=${got% }
    [ "$got" = "$expected" ] || complain "bash offers '$got' for '$*', not '$expected'"
}
if command -v bash >/dev/null 2>&1 && bash -c '[ "${BASH_VERSINFO[0]}" -ge 4 ]'; then
    mkdir "$d/some folder"
    : >"$d/some data.csv"
    offers 'evidence' talweg ev
    offers '--version' talweg --v
    offers 'sample' talweg help sam
    offers 'bash' talweg --completion b
    offers 'poisson probit' talweg approx data.csv --likelihood p
    offers 'probit' talweg approx data.csv --likelihood = pr
    all=$("$build/talweg" approx data.csv --likelihood x 2>&1 | sed -n 's/.*choose from: //p' | tr -d ' ' | tr ',' '\n' |
        LC_ALL=C sort | tr '\n' ' ')
    offers "${all% }" talweg approx data.csv --likelihood =
    offers '--log-ell --log-sigma' talweg sample data.csv --log-
    offers '--output' talweg sample --out
    offers 'some data.csv some folder' talweg sample some
    offers 'some data.csv some folder' talweg grid d.csv -o some
    offers 'prior' talweg sample d.csv --from pr
    offers 'some data.csv some folder' talweg sample d.csv --from some
    offers 'some folder' talweg demo --directory some
    offers '' talweg sample d.csv --draws s
    offers 'ais,ais-reverse' talweg evidence d.csv --method ais,ais-
    offers 'ais ais-reverse pt rm' talweg evidence d.csv --method ''
    offers 'some data.csv some folder' talweg approx --json some
    for command in $commands; do
        offers "$( (options_of "$command"; echo --help) | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" talweg "$command" --
    done
fi

# ---- zsh
works --completion zsh
cp "$d/out" "$d/_talweg"
cmp -s "$d/_talweg" "$build/completion/_talweg" || complain "the completion that was built is another one"
for command in $commands; do
    sed -n "/^    $command)\$/,/^      ;;/p" "$d/_talweg" >"$d/section"
    for option in $(options_of "$command"); do
        grep -qF -- "$option" "$d/section" || complain "_talweg lacks $option of $command"
    done
done
if command -v zsh >/dev/null 2>&1; then
    zsh -n "$d/_talweg" || complain "zsh does not read its completion"
    cat >"$d/complete.zsh" <<'END'
# complete.zsh FOLDER LINE: what zsh offers for LINE, found by pressing TAB on a terminal of its own
zmodload zsh/zpty || exit 77
folder=${1:A}
zpty -b talk "cd ${(q)folder}; zsh -f -i"
ask() { zpty -w talk "$1"; }
until_seen() {
  local chunk
  for i in {1..300}; do
    while zpty -r -t talk chunk; do seen+=$chunk; done
    [[ $seen == *$1* ]] && return 0
    sleep 0.1
  done
  print -r -- "$seen"
  exit 1
}
seen=
ask "PS1= PROMPT= fpath=($folder \$fpath) TERM=dumb; unsetopt zle_bracketed_paste prompt_sp; autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; LISTMAX=1000; stty cols 200; print re''ady"
until_seen ready
seen=
zpty -n -w talk "$2"$'\t\t'
sleep 1
zpty -n -w talk $'\C-a\C-k'
ask "print do''ne"
until_seen done
print -r -- "$seen"
zpty -d talk
END
    # zsh_shows WORDS LINE: among what zsh shows after TAB on LINE
    zsh_shows() {
        checks=$((checks + 1))
        got=$(zsh -f "$d/complete.zsh" "$d" "$2" 2>&1) || {
            [ $? = 77 ] && return
            complain "zsh, '$2': $got"
            return
        }
        case $got in *"$1"*) ;; *) complain "zsh does not show '$1' for '$2' but: $got" ;; esac
    }
    zsh_shows 'talweg evidence' 'talweg evi'
    zsh_shows 'matern52' 'talweg approx d.csv --kernel '
    zsh_shows '--standardise' 'talweg approx d.csv --stand'
    zsh_shows 'data.csv' 'talweg sample some\ d'
fi
finish
