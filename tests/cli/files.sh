#!/bin/sh
# What the program does to files that are not its own, and they to it: a private file stays private, a pipe gets all that
# is written, two commands cannot write one file, nothing of a killed one stays, no name commands the terminal or
# gnuplot, a compressed file has a bound, and lines have ends. Usage: files.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
limit=$(command -v timeout || true)
talweg_itself=$talweg
talweg=$d/talweg
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${limit:+$limit 120}" "$talweg_itself" >"$talweg"
chmod +x "$talweg"
works demo --data-only --directory "$d/demo" --cases 40 --test-cases 10
data=$d/demo/two_classes.csv
new=$d/demo/two_classes_test.csv
[ -f "$new" ] || new=$data
known="--log-ell 0 --log-sigma 1"
short="--draws 20 --warmup 10 --chains 2 --method ess --no-warnings --quiet"
few="--method ais --particles 8 --temperatures 3 --no-warnings --quiet"
grid="--log-ell 0:1:2 --log-sigma 0:1:2 --quiet"
# shellcheck disable=SC2012 # a name of our own
mode() { ls -ldn "$1" | cut -c1-10; }
nothing_left() {
    for left in "$d"/*.part "$d"/.*.lock "$d"/*.journal; do [ ! -e "$left" ] || complain "$* left $left"; done
}

# ---- --force keeps the rights; a new file has those of umask
# private FILE ARGUMENTS...: FILE, which only its owner may read, is overwritten and stays so.
private() {
    file=$d/$1
    shift
    : >"$file"
    chmod 600 "$file"
    works "$@" --force
    [ -s "$file" ] || complain "$* did not write $file"
    [ "$(mode "$file")" = -rw------- ] || complain "$* made a private file $(mode "$file")"
    nothing_left "$@"
}
umask 022
# shellcheck disable=SC2086 # several words
{
    private m.csv approx "$data" $known --marginals "$d/m.csv"
    private q.json approx "$data" $known --save-approx "$d/q.json"
    private model.json model "$data" $known -o "$d/model.json"
    private fitted.json fit "$data" $known -o "$d/fitted.json"
    private run.nc sample "$data" $known $short -o "$d/run.nc"
    private run.csv sample "$data" $known $short -o "$d/run.csv"
    private s_1.csv sample "$data" $known $short --stan-csv "$d/s"
    private z.nc evidence "$data" $known $few -o "$d/z.nc"
    private z.json evidence "$data" $known $few -o "$d/z.json"
    private grid.csv grid "$data" $grid -o "$d/grid.csv"
    private p.csv predict "$d/run.nc" "$new" -o "$d/p.csv" --no-warnings
    private sum.csv summary "$d/run.nc" --csv "$d/sum.csv" --no-warnings
    private page.html report "$d/run.nc" -o "$d/page.html" --no-warnings
    private two.nc merge "$d/run.nc" -o "$d/two.nc" --no-warnings
    rm "$d/m.csv"
    works approx "$data" $known --marginals "$d/m.csv"
    [ "$(mode "$d/m.csv")" = -rw-r--r-- ] || complain "a new file is $(mode "$d/m.csv")"
}
# what a killed run leaves of a private file is private, and so is the file that is made of it
: >"$d/kill.nc"
chmod 600 "$d/kill.nc"
# shellcheck disable=SC2086
"$talweg_itself" sample "$data" $known --draws 100000000 --warmup 10 --method ess --quiet --thin 100 -o "$d/kill.nc" --force 2>/dev/null >&2 &
job=$!
waited=0
until [ -n "$(find "$d" -name kill.nc.journal -size +64k)" ] || [ "$waited" -ge 600 ]; do
    sleep 0.1
    waited=$((waited + 1))
done
# ---- one writer at a time
refuses 3 'another talweg is writing this file' approx "$data" --marginals "$d/kill.nc" --force --quiet
refuses 3 'another talweg is writing this file' evidence "$data" -o "$d/kill.nc" --force --quiet
ln -s kill.nc "$d/other.nc"
refuses 3 'another talweg is writing this file' merge "$d/run.nc" -o "$d/other.nc" --force --quiet
kill -9 "$job"
wait "$job" 2>/dev/null || true
for left in "$d/kill.nc.journal" "$d/kill.nc"; do
    [ "$(mode "$left")" = -rw------- ] || complain "$left of a killed run is $(mode "$left")"
done
rm "$d/kill.nc"
echo left >"$d/kill.nc.talweg.part" # as a kill would leave it while the file is made
works summary "$d/kill.nc" --quiet --no-warnings
[ "$(mode "$d/kill.nc")" = -rw------- ] || complain "a completed run is $(mode "$d/kill.nc")"
nothing_left "a killed run"

# ---- a pipe gets it all, and once
pipes() { # pipes NAME COMMAND...: the command writes to a pipe of this name
    pipe=$d/$1
    shift
    mkfifo "$pipe"
    ${limit:+$limit 120} cat "$pipe" >"$d/got" &
    job=$!
    works "$@" "$pipe" --quiet --no-warnings
    wait "$job" || complain "$1: nothing came through a pipe"
    [ "$(wc -l <"$d/got")" -ge 5 ] || complain "$1: $(wc -l <"$d/got") lines came through a pipe"
    rm -f "$pipe"
}
# shellcheck disable=SC2086 # several words
{
    pipes pipe approx "$data" $known --marginals
    pipes pipe model "$data" $known -o
    pipes pipe.csv sample "$data" $known $short -o
}
mkfifo "$d/check"
refuses 1 'is a pipe' evidence "$data" --checkpoint "$d/check" --force
mkfifo "$d/pipe.nc"
refuses 1 'is not a regular file' sample "$data" -o "$d/pipe.nc" --quiet

# ---- names that would command a terminal: nothing of them but "?"
bad=$(printf 'a\033[31mb\nc\302\233d\342\200\256.csv')
cp "$data" "$d/$bad"
esc=$(printf '\033')
quiet_of() {
    checks=$((checks + 1))
    code=0
    "$talweg" "$@" >"$d/out" 2>&1 || code=$?
    LC_ALL=C grep -qE "$esc|$(printf '\302\233')|$(printf '\342\200\256')" "$d/out" && complain "$1 prints what a terminal obeys: $(od -c <"$d/out" | head -n 5)"
    grep -q '^c?' "$d/out" && complain "$1 prints the line end of a name"
    return 0
}
# shellcheck disable=SC2086
{
    quiet_of approx "$d/$bad" $known
    quiet_of sample "$d/$bad" $known $short
    quiet_of evidence "$d/$bad" $known $few
    quiet_of grid "$d/$bad" --log-ell 0:1:2 --log-sigma 0:1:2
    quiet_of fit "$d/$bad"
    quiet_of check "$d/$bad" $known --against ep --draws 50
    quiet_of approx "$d/$bad.absent"
    quiet_of "$bad"
    quiet_of approx "$data" "--$bad"
    quiet_of approx "$data" --kernel "$bad"
    works model "$data" $known -o "$d/$bad.json"
    quiet_of model --model "$d/$bad.json"
    works model "$data" --prior default -o "$d/$bad.json" --force --no-warnings
    cp "$d/$bad.json" "$d/2 $bad.json"
    quiet_of compare "$d/$bad.json" "$d/2 $bad.json" --points 64
    quiet_of compare "$d/$bad.json" "$d/absent $bad.json"
    printf 'name,mean\nx.1,0\n' >"$d/$bad.claim.csv"
    quiet_of check "$data" $known --against "$d/$bad.claim.csv" --draws 50
    awk -F, 'NR > 1 { print 0 }' "$data" >"$d/$bad.mean"
    awk -v n="$(wc -l <"$d/$bad.mean")" 'BEGIN { for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) printf "%d%s", i == j, j < n ? "," : "\n" }' >"$d/$bad.variance"
    quiet_of sample "$data" $known $short --from "$d/$bad.mean,$d/$bad.variance" --beta 0.5
    quiet_of evidence "$data" $known $few --from "$d/$bad.mean,$d/$bad.variance"
    works approx "$data" $known --save-approx "$d/$bad.fit"
    quiet_of predict "$d/$bad.fit" "$d/$bad" -o "$d/$bad.out"
    quiet_of demo --data-only --directory "$d/$bad.d" --cases 10 --test-cases 10
}
mv "$d/run.nc" "$d/$bad.nc"
quiet_of summary "$d/$bad.nc"
quiet_of merge "$d/$bad.nc" -o "$d/$bad.two.nc" --force
mv "$d/$bad.nc" "$d/run.nc"
printf '"x\033[2J\n\302\233",k,y\n1,"a\033[31m\nb",1\n2,c,-1\n3,c,1\n4,"a\033[31m\nb",-1\n' >"$d/names.csv"
quiet_of approx "$d/names.csv"
quiet_of approx "$d/names.csv" --kernel 'se(1) * categorical(2)' --log-sigma 0
quiet_of approx "$d/names.csv" --label-column k
quiet_of approx "$d/names.csv" --label-column absent
printf '{"format":"talweg model","version":1,"data":"a\\u001b[31mb","options":{"\\u001b[2J":1}}' >"$d/bad.json"
quiet_of approx --model "$d/bad.json"

# ---- gnuplot: the user's settings do not count, and any name is a title
if command -v gnuplot >/dev/null; then
    mkdir "$d/home"
    printf 'set title "MARK"\nset label "MARK" at graph 0.5, 0.5\nset xlabel "MARK"\n' >"$d/home/.gnuplot"
    odd="$d/it's \"''\" \`MARK\` \$x @y \\n %d.csv"
    cp "$data" "$odd"
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    HOME=$d/home GNUTERM=dumb "$talweg" grid "$odd" $grid --plot "$d/it's ''.svg" -o "$d/odd.csv" >"$d/out" 2>"$d/err" ||
        complain "a quote in a name: $(cat "$d/err")"
    [ "$(grep -o MARK "$d/it's ''.svg" | wc -l)" = 1 ] || complain "the figure: $(grep -o '[^>]*MARK[^<]*' "$d/it's ''.svg")"
fi

# ---- compressed files and line ends
if command -v gzip >/dev/null; then
    gzip -c "$data" >"$d/junk.csv.gz"
    cp "$d/junk.csv.gz" "$d/zeros.csv.gz"
    printf 'a,b,y\n' >>"$d/junk.csv.gz"
    refuses 1 'has 6 bytes after its gzip data' approx "$d/junk.csv.gz"
    head -c 100 /dev/zero >>"$d/zeros.csv.gz"
    # shellcheck disable=SC2086
    works approx "$d/zeros.csv.gz" $known
    head -c 270000000 /dev/zero | tr '\0' '0' | gzip -1 >"$d/large.csv.gz"
    refuses 1 'over 100 times as much' approx "$d/large.csv.gz"
    rm "$d/large.csv.gz"
fi
tr '\n' '\r' <"$data" >"$d/mac.csv"
refuses 1 'line 1 has a carriage return (CR) without a line feed' approx "$d/mac.csv"
sed "3s/,/$(printf '\r'),/" "$data" >"$d/stray.csv"
refuses 1 'line 3 has a carriage return (CR)' approx "$d/stray.csv"
sed "s/\$/$(printf '\r')/" "$data" >"$d/dos.csv"
# shellcheck disable=SC2086
works approx "$d/dos.csv" $known
finish
