#!/bin/sh
# Exported models in onnxruntime: they have to give what collabdict computes, to a relative
# error of 1e-5, and the code of docs/how-to/export-a-model.md and examples/onnx has to run. Needs go,
# node and npm, which installs onnxruntime-node (300 MB), unless COLLABDICT_ONNXRUNTIME
# names a folder that has it in node_modules. Where Python has onnx, its checker
# looks at the files, too; where it has onnxruntime, it runs the snippet in Python.
set -eu
cd "$(dirname "$0")/.."
version=1.30.0
for program in node npm; do
	command -v "$program" >/dev/null || { echo "onnx.sh: SKIPPED, NOTHING CHECKED: $program is not installed" >&2; exit 0; }
done
python=${PYTHON:-python3}
root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
modules=${COLLABDICT_ONNXRUNTIME:-$dir}
if [ ! -d "$modules/node_modules/onnxruntime-node" ]; then
	(cd "$modules" && echo '{"private": true}' >package.json && npm install --silent --no-fund --no-audit --ignore-scripts "onnxruntime-node@$version")
fi
export NODE_PATH="$modules/node_modules"

mkdir "$dir/known"
COLLABDICT_ONNX=$dir/known go test -count=1 -run TestFilesComputeWhatModelsDo ./internal/export
node scripts/onnx/run.js "$dir/known"
if "$python" -c 'import onnx' 2>/dev/null; then
	"$python" scripts/onnx/check.py "$dir"/known/*.onnx
else
	echo "onnx.sh: SKIPPED: $python has no onnx, whose checker would look at the files" >&2
fi

go build -o "$dir/collabdict" ./cmd/collabdict
cd "$dir"
./collabdict up --model mtvae --rounds 5 --generate participants=3,rows=60,columns=4,patterns=2 --out up >log 2>&1 || { cat log >&2; exit 1; }
./collabdict export --model up/plant-a/model.npz --to onnx -o plant-a.onnx >/dev/null
cut -d, -f1-4 up/plant-a/plant-a.csv >plant-a.csv
./collabdict up --model bvae --rounds 5 --latent 2 --hidden 16 --generate participants=3,rows=60,columns=4,patterns=2 --out bvae >log 2>&1 || { cat log >&2; exit 1; }
./collabdict export --model bvae/plant-a/model.npz --to onnx -o bvae.onnx >/dev/null
cut -d, -f1-4 bvae/plant-a/plant-a.csv >bvae.csv
./collabdict score --with shared --model bvae/plant-a/model.npz --data bvae.csv -o scores.csv
node "$root/scripts/onnx/scores.js" bvae.onnx bvae.csv scores.csv

# Mixtures, with the weights of a participant. Values are multiples of 1/64, which single
# precision does not round.
for kind in ggm dem fedgen fedgem; do
	./collabdict up --model $kind --generate participants=3,rows=60,columns=4,patterns=2 --out $kind >log 2>&1 || { cat log >&2; exit 1; }
	./collabdict export --model $kind/plant-a/model.npz --to onnx --with own -o $kind.onnx >/dev/null
	cut -d, -f1-4 $kind/plant-a/plant-a.csv | awk -F, -v OFS=, 'NR > 1 { for (i = 1; i <= NF; i++) $i = sprintf("%.6f", int($i * 64) / 64) } { print }' >$kind.csv
	./collabdict score --with shared --model $kind/plant-a/model.npz --data $kind.csv -o scores.csv
	node "$root/scripts/onnx/scores.js" $kind.onnx $kind.csv scores.csv
done

node "$root/examples/onnx/score.js"
if "$python" -c 'import numpy, onnxruntime' 2>/dev/null; then
	awk '/^```$/ { on = 0 } on { print } /^```python$/ { on = 1 }' "$root/docs/how-to/export-a-model.md" >snippet.py
	"$python" snippet.py
else
	echo "onnx.sh: SKIPPED: $python has no onnxruntime for the snippet in Python" >&2
fi
