#!/bin/sh
# Our iterations of EM and those of scikit-learn, in turn, and the ratios of the best
# times: on one thread with the fastest instructions of the processor and with AVX2, and
# ours on two threads. Needs go, jq, and below COLLABDICT_OUTSIDE peers/em_sklearn.py,
# a program that takes --n, --m, --k, --cov, --threads and --reps, and prints JSON with
# ms_per_iteration. REPEAT is how often each runs.
set -eu
outside=$(cd "${COLLABDICT_OUTSIDE:?want the folder that has peers/em_sklearn.py}" && pwd)
cd "$(dirname "$0")/../.."
/usr/bin/python3 -c 'import sklearn' 2>/dev/null || { echo "em.sh: SKIPPED, NOTHING CHECKED: /usr/bin/python3 has no sklearn" >&2; exit 0; }
repeat=${REPEAT:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/collabdict" ./cmd/collabdict
fastest=$("$dir/collabdict" version --json | jq -r .kernels)

ours() { # path, threads, shape
	path=$1 threads=$2
	shift 2
	COLLABDICT_CPU=$path "$dir/collabdict" bench em --threads "$threads" --reps 20 --json "$@" >>"$dir/$path-$threads"
}

compare() { # shape
	rm -f "$dir"/*-1 "$dir"/*-2 "$dir/peer"
	for _ in $(seq "$repeat"); do
		for path in $(printf '%s\n' "$fastest" avx2 | uniq); do
			ours "$path" 1 "$@"
		done
		ours "$fastest" 2 "$@"
		OPENBLAS_NUM_THREADS=1 /usr/bin/python3 "$outside/peers/em_sklearn.py" --threads 1 --reps 5 "$@" >>"$dir/peer"
	done
	jq -nc --slurpfile ours "$dir/$fastest-1" --slurpfile avx2 "$dir/avx2-1" --slurpfile two "$dir/$fastest-2" --slurpfile peer "$dir/peer" '
		def best(all): [all[] | .ms_per_iteration] | min;
		def cents: . * 100 | round / 100;
		$ours[0] | {n, m, k, cov, path, ms: (best($ours) | cents), ms_avx2: (best($avx2) | cents), ms_two_threads: (best($two) | cents),
			ms_peer: (best($peer) | cents), ratio: (best($peer) / best($ours) | cents), ratio_avx2: (best($peer) / best($avx2) | cents),
			ratio_two_threads_to_one: (best($ours) / best($two) | cents)}'
}

compare --n 200000 --m 10 --k 15 --cov full
compare --n 100000 --m 38 --k 10 --cov full
compare --n 40000 --m 84 --k 10 --cov full
compare --n 200000 --m 10 --k 15 --cov diag
compare --n 48000 --m 24 --k 30 --cov diag
