#!/bin/sh
# Runs examples/predict.cpp: predict_example.sh PREDICT DYAD EXAMPLES FOLDER. Its answers are those of `dyad predict --proba`,
# come line by line, and are of another model once its file is replaced; neither a bad row nor a damaged file ends it.
set -eu
predict=$1 dyad=$2 examples=$3
cd "$4"

fail() {
  echo "predict: $*" >&2
  exit 1
}
same() { # two files of predictions: equal labels, and numbers equal but for how they are written
  paste -d, "$1" "$2" | awk -F, 'NR > 1 && ($1 != $4 || ($2 - $5) ^ 2 + ($3 - $6) ^ 2 > 1e-24) { exit 1 }' &&
    [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ]
}
wait_for() { # LINES of answers, at most 30 seconds
  turns=1500
  while [ "$(wc -l <answers.csv)" -lt "$1" ] && [ $turns -gt 0 ]; do
    sleep 0.02
    turns=$((turns - 1))
  done
}

# Numbers, and numbers with text and gaps.
for table in stars trees; do
  "$dyad" fit --quiet "$examples/$table.csv" --label kind -o $table.dyad
  "$predict" $table.dyad <"$examples/$table.csv" >answers.csv
  "$dyad" predict --quiet $table.dyad "$examples/$table.csv" --proba -o expected.csv
  same answers.csv expected.csv || fail "differs from dyad predict on $table.csv"
done

"$dyad" fit --quiet "$examples/stars.csv" --label kind --method lu -o lu.dyad
for model in stars lu; do
  head -2 "$examples/stars.csv" | "$dyad" predict --quiet $model.dyad - --proba | tail -1 >$model.line
done
cp stars.dyad served.dyad
: >answers.csv
{
  head -2 "$examples/stars.csv"
  wait_for 2
  echo "0.1,0.2,heavy,0.3,0.4,0.5,orbit"
  wait_for 3
  mv lu.dyad served.dyad
  sed -n 2p "$examples/stars.csv"
  wait_for 4
  echo damaged >damaged.dyad
  mv damaged.dyad served.dyad
  sed -n 2p "$examples/stars.csv"
} | timeout 60 "$predict" served.dyad >answers.csv 2>messages.txt || fail "did not end well"
{
  echo label,proba_cloud,proba_orbit
  cat stars.line
  echo ,,
  cat lu.line lu.line
} >expected.csv
same answers.csv expected.csv || fail "answered $(cat answers.csv)"
grep -q "row 2: .*'mass'.*'heavy'" messages.txt || fail "said of a bad row: $(cat messages.txt)"
grep -q "old model stays: .*served.dyad" messages.txt || fail "said of a damaged file: $(cat messages.txt)"
