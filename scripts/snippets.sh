#!/bin/sh
# Runs the snippets in Python of the how-to pages that need NumPy alone, on models that are
# trained for it, and compares the scores that they compute with those of collabdict. Needs
# go and a Python with NumPy (PYTHON).
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || { echo "snippets.sh: SKIPPED, NOTHING CHECKED: $python has no numpy" >&2; exit 0; }
root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/collabdict" ./cmd/collabdict
cd "$dir"
for kind in ggm mtvae; do
	./collabdict demo --model $kind --out $kind >log 2>&1 || { cat log >&2; exit 1; }
done
mv ggm demo
./collabdict sim --model cgau --data demo/data --label label --rounds 20 --out classes >/dev/null 2>&1
./collabdict export --model mtvae/plant-a/model.npz --to npz -o shared.npz >/dev/null
./collabdict export --model demo/plant-a/model.npz --to json --with own -o mixture.json >/dev/null
for page in read-a-model-in-python export-a-model; do
	"$python" "$root/scripts/snippets/run.py" "$root/docs/how-to/$page.md"
done
