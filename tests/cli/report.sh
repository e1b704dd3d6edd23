#!/bin/sh
# talweg report: the page with and without gnuplot, that nothing in it is a user's markup or asks for anything, several
# files, bad input. Usage: report.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

{
    printf '%s\n' "<b>x1</b>,x2\`touch bad\`,y"
    awk 'BEGIN { for (i = 0; i < 60; i++) { t = i / 7.0; print cos(t) * t "," sin(2 * t) "," (sin(t) > 0.2 ? 1 : -1) } }'
} >"$d/a.csv"
model="--log-ell 0.3 --log-sigma 1"
run="$d/<i>&\"'.nc"

# shellcheck disable=SC2086 # the options are meant to be split, here and below
works sample "$d/a.csv" $model --method hmc --metric ep --draws 1500 --chains 4 --warmup 200 -o "$run"
# shellcheck disable=SC2086
works evidence "$d/a.csv" $model --method ais,rm --particles 64 -o "$d/evidence.nc"

# page: FILE holds WORDS
page_says() {
    grep -qF -- "$2" "$d/$1" || complain "no '$2' in $1"
}
page_lacks() {
    ! grep -qF -- "$2" "$d/$1" || complain "'$2' in $1"
}

works report "$run" "$d/evidence.nc" -o "$d/page.html"
[ ! -s "$d/out" ] || complain "report printed to standard output"
for words in 'The draws can be used' 'The estimates of log Z agree' 'Log evidence' 'Calibration' 'lines at 0.1' \
    'Effective sample sizes of all latents' 'Ranks of the draws of x.' 'E-BFMI' 'leapfrog steps' 'Settings' \
    'hmc, metric ep' '&lt;i&gt;&amp;&quot;&#39;.nc' '&lt;b&gt;x1&lt;/b&gt;' 'resample-move' 'prefers-color-scheme:dark' \
    'name="viewport"' "default-src 'none'"; do
    page_says page.html "$words"
done
for words in '<b>x1' '<i>' '<script' 'http:' 'https:' 'src=' '@import' 'url('; do page_lacks page.html "$words"; done
[ ! -e bad ] || complain "a name became a command"
[ "$(wc -c <"$d/page.html")" -lt 2000000 ] || complain "a page of more than 2 MB"

# the page is a function of its files
works report "$run" "$d/evidence.nc" -o "$d/again.html" --threads 1
cmp -s "$d/page.html" "$d/again.html" || complain "the same files gave another page"
refuses 1 'page.html already exists' report "$run" -o "$d/page.html"
cmp -s "$d/page.html" "$d/again.html" || complain "a page was overwritten"
works report "$run" -o "$d/page.html" --force --latents 1 --title '</title><script>alert(1)</script>'
page_lacks page.html '<script'
page_lacks page.html 'Log evidence'
[ "$(grep -c 'Ranks of the draws of x' "$d/page.html")" = 1 ] || complain "not one latent"

# gnuplot is there or not: the rest of the page is the same
if command -v gnuplot >/dev/null 2>&1; then
    [ "$(grep -c '<svg viewBox' "$d/again.html")" = 14 ] || complain "$(grep -c '<svg viewBox' "$d/again.html") plots"
    grep -q "<image .*href='data:image/png;base64" "$d/again.html" || complain "no map"
    page_lacks again.html 'No figure'
fi
code=0
PATH=$d/nowhere "$talweg" report "$run" "$d/evidence.nc" -o "$d/bare.html" >"$d/out" 2>"$d/err" || code=$?
[ "$code" = 0 ] || complain "without gnuplot: exit $code"
says err 'package gnuplot-nox'
page_says bare.html 'This page has no plots'
page_says bare.html 'package gnuplot-nox'
page_lacks bare.html '<svg viewBox'
for words in 'The draws can be used' 'resample-move' 'ESS bulk' 'Settings' 'Figure 14.'; do page_says bare.html "$words"; done

# cases to test with
awk 'BEGIN { print "<b>x1</b>,x2`touch bad`,y"; for (i = 0; i < 90; i++) { t = i / 11.0; print cos(t) * t "," sin(2 * t) "," (sin(t) > 0.2) } }' \
    >"$d/test.csv"
works report "$run" -o "$d/test.html" --test "$d/test.csv"
page_says test.html '90 test cases'
page_says test.html 'Calibration on 90 new cases'
awk -F, 'NR > 1 { print $1 "," $2 }' "$d/test.csv" >"$d/unlabelled.csv"
refuses 1 '--test needs labelled cases' report "$run" -o "$d/no.html" --test "$d/unlabelled.csv"
refuses 1 'the model has no input "y"' report "$run" -o "$d/no.html" --test "$d/test.csv" --label-column none

# counts on a line, estimates only
awk 'BEGIN { print "t,count"; for (i = 0; i < 50; i++) print i "," int(3 + 2 * sin(i / 5.0)) }' >"$d/counts.csv"
works sample "$d/counts.csv" --likelihood poisson --log-ell 1.5 --method hmc --draws 100 --chains 4 --warmup 100 -o "$d/counts.nc" --quiet
works report "$d/counts.nc" -o "$d/counts.html" --quiet
page_says counts.html 'median and central 90% of the posterior'
page_says counts.html 'Root mean square of the difference'
works report "$d/evidence.nc" -o "$d/evidence.html"
page_lacks evidence.html 'R-hat of all latents'
page_says evidence.html 'estimates of log Z'

# ---- classes by their names, the worst of many chains, and advice that does not name what is in use
awk 'BEGIN { print "t,kind"; for (i = 0; i < 40; i++) print i / 9.0 "," (sin(i / 4.0) > 0.2 ? "<rose>" : "lily") }' >"$d/kinds.csv"
works sample "$d/kinds.csv" --positive lily --log-ell 0 --log-sigma 1 --method hmc --chains 16 --draws 20 --warmup 20 -o "$d/kinds.nc"
works report "$d/kinds.nc" -o "$d/kinds.html"
page_says kinds.html '(+1 is lily, −1 is &lt;rose&gt;)'
page_says kinds.html ' of class +1 (lily), '
page_says kinds.html 'The 10 chains with the lowest acceptance, of 16.'
works sample "$d/kinds.csv" --log-ell 0 --log-sigma 2 --method rmhmc --metric smoothed --eps 30 --draws 20 --warmup 5 -o "$d/smoothed.nc"
works report "$d/smoothed.nc" -o "$d/smoothed.html"
page_says smoothed.html 'mplicit solve failed'
page_lacks smoothed.html 'The smoothed metric'
works sample "$d/kinds.csv" --log-ell 0 --log-sigma 1 --method ess --draws 20 --warmup 5 -o "$d/slice.nc"
works report "$d/slice.nc" -o "$d/slice.html"
page_says slice.html '<h2>Chains</h2>'
page_lacks slice.html 'Energy and'
works sample "$d/kinds.csv" --prior default --points 64 -o "$d/unknown.nc"
works report "$d/unknown.nc" -o "$d/unknown.html"
page_says unknown.html '(parameters unknown, with their mode at log ell = '

# ---- estimates without an error: all weights of a Gaussian likelihood are equal up to rounding
works evidence "$d/counts.csv" --likelihood gaussian --noise 1 --log-ell 1.5 --log-sigma 0 --method ais,rm --particles 64 -o "$d/exact.nc"
works report "$d/exact.nc" -o "$d/exact.html"
page_lacks exact.html 'gnuplot failed'
page_says exact.html 'log Z, exact up to rounding'

# ---- an estimate that two files have is one
works evidence "$d/kinds.csv" --prior default --points 64 -o "$d/known.nc"
works report "$d/unknown.nc" "$d/known.nc" -o "$d/both.html"
page_says both.html 'is2 and ais-joint agree: '
[ "$(grep -c '<td>is2</td>' "$d/both.html")" = 1 ] || complain "is2 is there $(grep -c '<td>is2</td>' "$d/both.html") times"

# ---- bad input
refuses 1 'talweg report needs RUN...' report
refuses 1 'absent.nc' report "$d/absent.nc" -o "$d/no.html"
refuses 1 'must be runs of the same problem' report "$run" "$d/counts.nc" -o "$d/no.html"
refuses 3 'cannot be written' report "$run" -o "$d/no/page.html"
refuses 1 '--latents must be from 0 to 20' report "$run" -o "$d/no.html" --latents 21
[ ! -e "$d/no.html" ] || complain "a page in spite of an error"
finish
