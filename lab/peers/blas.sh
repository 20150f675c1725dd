#!/bin/sh
# Our matrix kernels and those of OpenBLAS on one thread, in turn, and the ratios of
# the best rates: with the fastest instructions of the processor, and with AVX2
# against OpenBLAS' Haswell kernels. Needs go, gcc, jq, and OpenBLAS with its headers
# (Debian: libopenblas-dev). REPEAT is how often each runs.
set -eu
cd "$(dirname "$0")/../.."
repeat=${REPEAT:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/collabdict" ./cmd/collabdict
gcc -O2 -o "$dir/openblas" lab/peers/openblas.c -lopenblas
export OPENBLAS_NUM_THREADS=1

# OpenBLAS of some years ago does not know newer processors, and takes Haswell's
# kernels for them; it is told which to take.
compare() { # path, core
	: >"$dir/ours"
	: >"$dir/peer"
	for _ in $(seq "$repeat"); do
		COLLABDICT_CPU=$1 "$dir/collabdict" bench blas --json >>"$dir/ours"
		OPENBLAS_CORETYPE=$2 "$dir/openblas" >>"$dir/peer"
	done
	jq -nc --slurpfile ours "$dir/ours" --slurpfile peer "$dir/peer" '
		def best(all; $field): [all[] | .[$field]] | max;
		def cents: . * 100 | round / 100;
		{path: $ours[0].path, peer: ("openblas " + $peer[0].path), threads: 1, peak_gflops: (best($ours; "peak_gflops") | cents)}
		+ ([$peer[0] | keys[] | select(endswith("_gflops"))]
			| map({key: ., value: {ours: (best($ours; .) | cents), peer: best($peer; .), ratio: (best($ours; .) / best($peer; .) | cents)}})
			| from_entries)'
}

fastest=$("$dir/collabdict" version --json | jq -r .kernels)
case $fastest in
avx512) compare avx512 SkylakeX && compare avx2 Haswell ;;
avx2) compare avx2 Haswell ;;
*) compare "$fastest" "" ;;
esac
