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
says err 'the first column has no name and numbers the rows: it is ignored'
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
refuses 1 'the input sex is text, but se needs numbers' approx "$d/people.csv" --quiet
works approx "$d/people.csv" --ignore-column sex --ignore-column dose
says out 'se kernel of 1 input'
refuses 1 'no label is "maybe": the labels are "no" and "yes"' approx "$d/people.csv" --positive maybe --quiet
refuses 1 'the labels are text, such as "no", but the poisson likelihood needs numbers' \
    approx "$d/people.csv" --ignore-column sex --likelihood poisson --quiet
refuses 1 'levels cannot be used with the probit likelihood' approx "$d/people.csv" --levels no,yes --quiet

# new cases: in another order, with labels, with a category that is new
printf 'sick,sex,dose,age\nyes,male,1,60\nno,female,2,30\n' >"$d/new.csv"
printf 'sex,dose,age\nmale,1,60\nfemale,2,30\nother,2,30\n' >"$d/other.csv"
for from in fit.json run.nc; do
    works predict "$d/$from" "$d/new.csv" --label-column sick -o "$d/p.csv" --force
    says out '2 labelled cases'
    refuses 1 'other.csv: row 3 (line 4) of sex: found "other", but the categories of the training cases are "female", "male"; use --new-categories to predict it from the prior' \
        predict "$d/$from" "$d/other.csv"
    works predict "$d/$from" "$d/other.csv" --new-categories -o /dev/stdout
    sed -n 2,3p "$d/p.csv" | cut -d, -f1-3 >"$d/first"
    sed -n 2,3p "$d/out" | cut -d, -f1-3 >"$d/second"
    cmp -s "$d/first" "$d/second" || complain "a new category changes the predictions of others"
    sed 's/yes/maybe/' "$d/new.csv" >"$d/maybe.csv"
    refuses 1 'maybe.csv: row 1: found the label "maybe", but the labels are "no", "yes" (line 2)' \
        predict "$d/$from" "$d/maybe.csv" --label-column sick
done

# the other commands that predict say the same and have the same option
printf 'sick,sex,dose,age\nyes,male,1,60\nno,other,2,30\n' >"$d/other_labelled.csv"
new='use --new-categories'
refuses 1 "$new" report "$d/run.nc" --test "$d/other_labelled.csv" -o "$d/new.html"
works report "$d/run.nc" --test "$d/other_labelled.csv" --new-categories -o "$d/new.html"
set -- grid "$d/people.csv" --kernel "$kernel" --axis se.ell=1:2:2 --axis se.sigma=1:2:2 --test "$d/other_labelled.csv"
refuses 1 "$new" "$@" --label-column sick --quiet
works "$@" --label-column sick --new-categories

# predictions are written in the words of the file, labels and categories alike, also those that are new
for from in fit.json run.nc; do
    works predict "$d/$from" "$d/new.csv" -o "$d/p.csv" --force
    says out '2 labelled cases' # the label is found by its name
    "$python" - "$d/p.csv" <<'EOF' || complain "predictions are not in the words of the file"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
sys.exit([(r["sex"], r["y"]) for r in rows] != [("male", "yes"), ("female", "no")])
EOF
    works predict "$d/$from" "$d/other.csv" --new-categories -o /dev/stdout
    says out '3,30,other,2,'
done

# a column that is left out may hold anything; one that is used may not
awk -F, '{ print $1 "," $2 "," $3 "," $4 "," (NR == 1 ? "note" : NR == 5 ? "?" : 7) "," $5 }' "$d/people.csv" >"$d/notes.csv"
refuses 1 'notes.csv: line 5, column 5 ("note"): found "?"; missing and non-finite values are not supported: remove or impute the row, or ignore the column' \
    approx "$d/notes.csv" --standardise --kernel "$kernel" --quiet
sed '7s/,7,/,later,/' "$d/notes.csv" >"$d/mixed.csv"
for data in notes mixed; do
    works approx "$d/$data.csv" --standardise --kernel "$kernel" --ignore-column note
    grep '^EP' "$d/out" | cut -c1-30 >"$d/ep2"
    cmp -s "$d/ep" "$d/ep2" || complain "a column that is left out changes log Z ($data.csv)"
done

# and it is left out of new cases, too, whatever it holds there; so it is in the test cases of a grid
works approx "$d/mixed.csv" --standardise --kernel "$kernel" --ignore-column note --save-approx "$d/noted.json"
works sample "$d/mixed.csv" --standardise --kernel "$kernel" --ignore-column note --method ess --warmup 50 --draws 50 -o "$d/noted.nc"
for from in noted.json noted.nc; do
    works predict "$d/$from" "$d/mixed.csv" -o "$d/with.csv" --force
    says out '60 labelled cases'
    works predict "$d/$from" "$d/people.csv" -o "$d/without.csv" --force
    cmp -s "$d/with.csv" "$d/without.csv" || complain "a column that training left out changes predictions ($from)"
done
works grid "$d/mixed.csv" --ignore-column note --ignore-column sex --standardise --log-ell 0:1:2 --log-sigma 0:1:2 --test "$d/mixed.csv"

# names in any script go into files; names and categories that are not UTF-8 are refused, before a file loses them
awk 'NR == 1 { print ",\303\242ge,sex,\"Gr\303\266\303\237e in \302\265g\",sick"; next } { print }' "$d/people.csv" >"$d/script.csv"
works model "$d/script.csv" --kernel "$(printf 'se(\303\242ge) + linear("Gr\303\266\303\237e in \302\265g")')"
gives 'r["options"]["kernel"] == "se(\u00e2ge) + linear(\"Gr\u00f6\u00dfe in \u00b5g\")"'
awk 'NR == 1 { print ",\342ge,sex,dose,sick"; next } { print }' "$d/people.csv" >"$d/latin.csv"
refuses 1 'latin.csv: line 1, column 2 ("\xe2ge"): found "\xe2ge", which is not UTF-8' approx "$d/latin.csv" --kernel 'se(1)' --quiet

# an input that the kernel does not look at may be absent, and is not written; a column too many is named, with what to do
works approx "$d/people.csv" --kernel 'se(dose) + categorical(sex)' --save-approx "$d/two.json"
printf 'sex,dose\nmale,1\nfemale,2\n' >"$d/two.csv"
works predict "$d/two.json" "$d/two.csv" -o /dev/stdout
says out 'row,sex,dose,mean,'
says out '2,female,2,'
printf 'sex,age\nmale,1\n' >"$d/less.csv"
refuses 1 'the input "dose" of the model is missing' predict "$d/two.json" "$d/less.csv"
printf 'sex,dose,when\nmale,1,3\n' >"$d/extra.csv"
refuses 1 'extra.csv: the model has no input "when"; choose the label with --label-column, or ignore a column with --ignore-column' \
    predict "$d/two.json" "$d/extra.csv"
works predict "$d/two.json" "$d/extra.csv" --ignore-column when -o /dev/stdout
finish
