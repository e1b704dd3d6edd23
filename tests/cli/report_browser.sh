#!/bin/sh
# talweg report in a browser: it loads on a desk and on a phone, light and dark, without an error in the console or a
# request, and its plots are there. Usage: report_browser.sh BUILD
set -eu
python=/usr/bin/python3
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
for needed in "$chromium" "$(command -v gnuplot || true)" "$python"; do
    [ -x "$needed" ] || { echo "skipped: chromium, gnuplot or $python is not there"; exit 77; }
done
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

awk 'BEGIN { for (i = 0; i < 60; i++) { t = i / 7.0; print cos(t) * t "," sin(2 * t) "," (sin(t) > 0.2 ? 1 : -1) } }' >"$d/a.csv"
works sample "$d/a.csv" --log-ell 0.3 --log-sigma 1 --method hmc --metric ep --draws 200 --chains 4 --warmup 100 -o "$d/run.nc"
works evidence "$d/a.csv" --log-ell 0.3 --log-sigma 1 --method ais,rm --particles 64 -o "$d/evidence.nc"
works report "$d/run.nc" "$d/evidence.nc" -o "$d/page.html"

# look PAGE OPTIONS...: what the browser said, in $place/out
look() {
    checks=$((checks + 1))
    page=$1
    shift
    "$python" tests/cli/browser.py "$chromium" "$d/$page" "$@" >"$d/out" || complain "the browser failed on $page $*"
}

# How many plots there are; how many of them are as wide as their figure, with ten lines or points at least that have a
# colour; whether the map's picture was decoded; how bright page and letters are.
looks='(() => {
    const plots = [...document.querySelectorAll("figure svg")];
    const marks = plot => [...plot.querySelectorAll("path, use, polygon, image")].filter(m => {
        const style = getComputedStyle(m), box = m.getBoundingClientRect();
        return box.width + box.height > 0 && !(style.stroke + style.fill + style.color).includes("var"); });
    const drawn = plots.filter(p => p.getBoundingClientRect().width > 250 && marks(p).length >= 10);
    const brightness = colour => colour.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 765;
    const body = getComputedStyle(document.body), label = document.querySelector("figure svg text");
    return {plots: plots.length, drawn: drawn.length, maps: document.querySelectorAll("figure image").length,
        title: document.title, sections: document.querySelectorAll("section").length,
        page: brightness(body.backgroundColor), letters: brightness(body.color),
        labels: brightness(getComputedStyle(label).fill)}; })()'

# A desk in the light and a phone in the dark: width and theme have nothing to do with one another.
for setting in '1200' '390 --dark'; do
    # shellcheck disable=SC2086 # no theme is no argument
    look page.html --width $setting --evaluate "$looks" --screenshot "$d/page.png"
    gives 'r["errors"] == [] and r["requests"] == [] and r["overflow"] <= 0'
    gives 'r["value"]["plots"] == 14 and r["value"]["drawn"] == 14 and r["value"]["maps"] == 1'
    gives 'r["value"]["title"] == "a.csv: talweg report" and r["value"]["sections"] >= 9'
    gives "(r['value']['page'] < 0.2) == ('dark' in '$setting')"
    gives 'abs(r["value"]["page"] - r["value"]["letters"]) > 0.6 and abs(r["value"]["page"] - r["value"]["labels"]) > 0.45'
    [ -s "$d/page.png" ] || complain "no picture of the page"
done

# This test sees what it looks for: a page that asks for something, or runs a script, is told of.
sed 's|<h1>|<img src="http://example.org/x.png"><script>console.log(1)</script><h1>|' "$d/page.html" >"$d/asks.html"
look asks.html
gives 'any("example.org" in e for e in r["errors"]) and any("inline script" in e for e in r["errors"])'
wide='<div style="width:2000px">wide</div>'
sed "/Content-Security-Policy/d; s|<h1>|<img src=\"http://example.org/x.png\">$wide<h1>|" "$d/page.html" >"$d/open.html"
look open.html --width 390
gives 'r["requests"] == ["http://example.org/x.png"] and r["overflow"] > 0'
finish
