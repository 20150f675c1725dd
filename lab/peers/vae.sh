#!/bin/sh
# Our training steps of a β-VAE of 784-512-256-2 units and those of PyTorch, in turn, and
# the ratios of the best and of the middle rates: on one thread with the fastest instructions of the
# processor and with AVX2, and ours on two threads. Needs go, jq, and below
# COLLABDICT_OUTSIDE peers/vae_torch.py, a program that takes --batch, --threads and --steps, and
# prints JSON with samples_per_second. REPEAT is how often each runs, STEPS how many
# steps a run of a program's own has.
set -eu
outside=$(cd "${COLLABDICT_OUTSIDE:?want the folder that has peers/vae_torch.py}" && pwd)
cd "$(dirname "$0")/../.."
/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo "vae.sh: SKIPPED, NOTHING CHECKED: /usr/bin/python3 has no torch" >&2; exit 0; }
repeat=${REPEAT:-5} steps=${STEPS:-30}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/collabdict" ./cmd/collabdict
fastest=$("$dir/collabdict" version --json | jq -r .kernels)
export OPENBLAS_NUM_THREADS=1

ours() { # path, threads, batch
	COLLABDICT_CPU=$1 "$dir/collabdict" bench vae --threads "$2" --batch "$3" --steps "$steps" --json >>"$dir/$1-$2"
}

# OpenBLAS of some years ago does not know newer processors: the peer runs with what it
# takes by itself and with the kernels for AVX-512, and what is better of it counts.
peer() { # batch
	for core in "" SkylakeX; do
		OPENBLAS_CORETYPE=$core /usr/bin/python3 "$outside/peers/vae_torch.py" --threads 1 --batch "$1" --steps "$steps" >>"$dir/peer$core"
	done
}

for batch in 64 256; do
	rm -f "$dir"/*-1 "$dir"/*-2 "$dir"/peer*
	for _ in $(seq "$repeat"); do
		for path in $(printf '%s\n' "$fastest" avx2 | uniq); do
			ours "$path" 1 "$batch"
		done
		ours "$fastest" 2 "$batch"
		peer "$batch"
	done
	jq -nc --slurpfile ours "$dir/$fastest-1" --slurpfile avx2 "$dir/avx2-1" --slurpfile two "$dir/$fastest-2" --slurpfile known "$dir/peer" --slurpfile told "$dir/peerSkylakeX" '
		def best(all): [all[] | .samples_per_second] | max;
		def middle(all): [all[] | .samples_per_second] | sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
		def cents: . * 100 | round / 100;
		best($known + $told) as $peer | ([middle($known), middle($told)] | max) as $usual |
		$ours[0] | {batch, path, peer: $known[0].peer, rate: (best($ours) | round), rate_avx2: (best($avx2) | round),
			rate_two_threads: (best($two) | round), rate_peer: ($peer | round), ratio: (best($ours) / $peer | cents),
			middle: (middle($ours) | round), middle_peer: ($usual | round), ratio_of_middles: (middle($ours) / $usual | cents),
			ratio_avx2: (best($avx2) / $peer | cents), ratio_two_threads_to_one: (best($two) / best($ours) | cents),
			allocations_per_step: ([$ours[] | .allocations_per_step] | max)}'
done
