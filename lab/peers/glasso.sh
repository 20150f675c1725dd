#!/bin/sh
# Our graphical lasso and R's on one thread, in turn, on six covariance matrices, and
# the ratios of the best times. Needs go, jq and Rscript with the package glasso
# (Debian: r-cran-glasso, r-cran-jsonlite). COLLABDICT_OUTSIDE names a folder with
# peers/glasso_r.R, which takes FILE RHO REPS and prints seconds and objective as JSON,
# and oracles/glasso-bench/p200.csv.gz and p400.csv.gz. REPEAT is how
# often each runs. Objectives are compared to 9 decimals: the peer prints 10.
set -eu
outside=$(cd "${COLLABDICT_OUTSIDE:?want the folder that has peers/glasso_r.R and oracles/glasso-bench}" && pwd)
cd "$(dirname "$0")/../.."
Rscript -e 'library(glasso); library(jsonlite)' >/dev/null 2>/dev/null || { echo "glasso.sh: SKIPPED, NOTHING CHECKED: Rscript with glasso and jsonlite is not installed" >&2; exit 0; }
repeat=${REPEAT:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/collabdict" ./cmd/collabdict
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

for size in 200 400; do
	for rho in 0.05 0.1 0.2; do
		file=$outside/oracles/glasso-bench/p$size.csv.gz
		: >"$dir/ours"
		: >"$dir/peer"
		for _ in $(seq "$repeat"); do
			"$dir/collabdict" bench glasso "$file" "$rho" --reps 3 --json >>"$dir/ours"
			Rscript "$outside/peers/glasso_r.R" "$file" "$rho" 3 >>"$dir/peer"
		done
		jq -nc --slurpfile ours "$dir/ours" --slurpfile peer "$dir/peer" '
			def best(all): all | map(.seconds) | min;
			{p: $ours[0].p, rho: $ours[0].rho, peer: $peer[0].peer, seconds: best($ours), peer_seconds: best($peer),
			 ratio: (best($peer) / best($ours) * 100 | round / 100),
			 objective: $ours[0].objective, peer_objective: $peer[0].objective,
			 objective_gained: (($ours[0].objective - $peer[0].objective) * 1e9 | round / 1e9), gap: $ours[0].gap, steps: $ours[0].steps}'
	done
done
