#!/bin/sh
# examples/check/tmb.R and stan.R with the packages themselves: TMB's Laplace approximation is talweg's, and Stan's draws are not
# found wrong. Each part is skipped where its package is missing. Usage: long_claims.sh BUILD
set -eu
command -v Rscript >/dev/null 2>&1 || { echo "skipped: there is no R"; exit 77; }
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
has() { Rscript --vanilla -e "quit('no', !requireNamespace('$1', quietly = TRUE))" >/dev/null 2>&1; }
has TMB || has rstan || { echo "skipped: R has neither TMB nor rstan"; exit 77; }

cat >"$d/counts.csv" <<'CSV'
t,y
0,0
0.2,1
0.4,3
0.6,1
0.8,1
1,5
1.2,4
1.4,2
1.6,4
1.8,1
2,2
2.2,1
2.4,1
2.6,0
2.8,2
3,1
3.2,1
3.4,0
3.6,0
3.8,0
CSV
set -- "$d/counts.csv" --likelihood poisson --log-ell -0.5 --log-sigma 0.2
mkdir "$d/r"
cp examples/check/* "$d/r"

if has TMB; then
    (cd "$d/r" && Rscript --vanilla tmb.R "$d/counts.csv" -0.5 0.2 "$d/tmb.json") >"$d/tmb.log" 2>&1 || complain "tmb.R: $(tail -n 3 "$d/tmb.log")"
    run approx "$@" --json
    gives 'abs(r["laplace"]["log_z"] - other("tmb.json")["log_z"]) < 1e-5'
    run check "$@" --against "$d/tmb.json" --json
    [ "$code" = 4 ] || complain "Laplace is wrong here, but check ended with $code"
    gives 'r["log_z"]["given"] < r["log_z"]["exact"]'
else
    echo "skipped in part: R has no TMB"
fi
if has rstan; then
    (cd "$d/r" && Rscript --vanilla stan.R "$d/counts.csv" -0.5 0.2 "$d/stan.json") >"$d/stan.log" 2>&1 || complain "stan.R: $(tail -n 3 "$d/stan.log")"
    run check "$@" --against "$d/stan.json" --json
    [ "$code" != 4 ] || complain "Stan's exact draws are called wrong"
    gives 'r["latents"]["rms_mean"] < 0.06 and r["latents"]["rms_sd"] < 0.06'
else
    echo "skipped in part: R has no rstan"
fi
finish
