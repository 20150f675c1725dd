#!/bin/sh
# Runs the code in Python of the how-to pages and of examples/python that needs only NumPy, on
# models that are trained for it, and compares its scores with those of collabdict. Needs go
# and a Python with NumPy (PYTHON).
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
./collabdict export --model demo/plant-a/model.npz --to json --with own -o mixture.json >/dev/null
for file in "$root"/docs/how-to/read-a-model-in-python.md "$root"/examples/python/*.py; do
	"$python" "$root/scripts/snippets/run.py" "$file"
done
