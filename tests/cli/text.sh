#!/bin/sh
# Data as people have them: names, columns of text, labels of any two texts, row numbers, gzip. Usage: text.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

awk 'BEGIN {
    print ",age,sex,dose,sick"
    for (i = 1; i <= 60; i++) {
        age = (37 * i) % 60 + 20; sex = i % 3 ? "female" : "male"; dose = (17 * i) % 30 / 10
        print i "," age "," sex "," dose "," ((age - 50) / 15 + (i % 3 ? -1 : 1) + dose - 1.5 + (7 * i) % 5 / 2 - 1 > 0 ? "yes" : "no")
    }
}' >"$d/people.csv"
kernel='se(age, dose, sigma=2) + categorical(sex)'

works approx "$d/people.csv" --standardise --kernel "$kernel" --save-approx "$d/fit.json"
says err 'the first column has no name and numbers the rows: it is left out'
says err 'labels: yes is +1, no is -1'
says out 'se(age, dose, ell=1, sigma=2) + categorical(sex, sigma=1)'
grep '^EP' "$d/out" | cut -c1-30 >"$d/ep"
works sample "$d/people.csv" --standardise --kernel "$kernel" --method ess --warmup 50 --draws 50 -o "$d/run.nc"

# the same from a compressed file, with numbers for the text, and with the other label as +1
gzip -c "$d/people.csv" >"$d/people.csv.gz"
sed 's/female/0/; s/male/1/; s/yes/1/; s/no$/0/; s/^[0-9]*,//; s/^,//' "$d/people.csv" >"$d/numbers.csv"
for data in people.csv.gz numbers.csv; do
    works approx "$d/$data" --standardise --kernel 'se(age, dose, sigma=2) + categorical(sex)'
    grep '^EP' "$d/out" | cut -c1-30 >"$d/ep2"
    cmp -s "$d/ep" "$d/ep2" || complain "$data has another log Z than people.csv"
done
works approx "$d/people.csv" --standardise --kernel "$kernel" --positive no
says err 'labels: no is +1, yes is -1'
grep '^EP' "$d/out" | cut -c1-30 >"$d/ep2"
cmp -s "$d/ep" "$d/ep2" || complain "log Z depends on which label is +1"

# text is no number, and a column may be left out
refuses 1 'the input sex is text, and se needs numbers' approx "$d/people.csv" --quiet
works approx "$d/people.csv" --ignore-column sex --ignore-column dose
says out 'se kernel of 1 input'
refuses 1 'no label is "maybe"; they are "no" and "yes"' approx "$d/people.csv" --positive maybe --quiet
refuses 1 'the labels are text, such as "no", and the poisson likelihood needs numbers' \
    approx "$d/people.csv" --ignore-column sex --likelihood poisson --quiet
refuses 1 'levels do not go with the probit likelihood' approx "$d/people.csv" --levels no,yes --quiet

# new cases: in another order, with labels, with a category that is new
printf 'sick,sex,dose,age\nyes,male,1,60\nno,female,2,30\n' >"$d/new.csv"
printf 'sex,dose,age\nmale,1,60\nfemale,2,30\nother,2,30\n' >"$d/other.csv"
for from in fit.json run.nc; do
    works predict "$d/$from" "$d/new.csv" --label-column sick -o "$d/p.csv" --force
    says out '2 labelled cases'
    refuses 1 'other.csv: row 3 of sex: found "other", a category that the training cases do not have; they have "female", "male"; use --new-categories to predict it from the prior' \
        predict "$d/$from" "$d/other.csv"
    works predict "$d/$from" "$d/other.csv" --new-categories
    sed -n 2,3p "$d/p.csv" | cut -d, -f1-3 >"$d/first"
    sed -n 2,3p "$d/out" | cut -d, -f1-3 >"$d/second"
    cmp -s "$d/first" "$d/second" || complain "a new category changes the predictions of others"
    sed 's/yes/maybe/' "$d/new.csv" >"$d/maybe.csv"
    refuses 1 'maybe.csv: row 1: found the label "maybe"; the labels are "no", "yes"' \
        predict "$d/$from" "$d/maybe.csv" --label-column sick
done
finish
