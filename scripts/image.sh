#!/bin/sh
# Builds the container image of the program without a daemon or a registry, as the file that is
# named: "docker load -i FILE" or "podman load -i FILE" takes it. Then it runs the program as it is in
# the image's layers. With the second argument beam, the program is collabdict-beam. PLATFORMS, such as
# linux/amd64,linux/arm64, is for what else than this machine.
set -eu
cd "$(dirname "$0")/.."
ko=github.com/google/ko@v0.19.1
out=${1:-}
case ${2:-} in
'') repository=collabdict from=. main=./cmd/collabdict try=version;;
beam) repository=collabdict-beam from=beam main=. try=-help;;
*) echo "image.sh: want beam or nothing, got $2" >&2; exit 2;;
esac
[ -n "$out" ] || { echo "image.sh: want the file to write, such as image.tar" >&2; exit 2; }
case "$out" in /*) ;; *) out=$PWD/$out;; esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export KOCACHE="$dir/ko" KO_DOCKER_REPO=$repository SOURCE_DATE_EPOCH=0
go build -o "$dir/ko-bin/" ./deploy/image
KO_DEFAULTBASEIMAGE=$("$dir/ko-bin/image" "$KOCACHE")
export KO_DEFAULTBASEIMAGE
GOBIN="$dir/ko-bin" go install "$ko"
(cd "$from" && "$dir/ko-bin/ko" build --push=false --bare --sbom=none --tags=latest ${PLATFORMS:+--platform="$PLATFORMS"} \
	--tarball="$out" "$main")

# The binary of this machine's platform, from the unpacked layers.
mkdir "$dir/layers" "$dir/image"
tar -xf "$out" -C "$dir/image"
for layer in "$dir"/image/*.tar.gz; do tar -xzf "$layer" -C "$dir/layers"; done
test -d "$dir/layers/data"
"$dir"/layers/ko-app/* "$try" >"$dir/printed" 2>&1 || { cat "$dir/printed" >&2; exit 1; }
head -n 3 "$dir/printed"
echo "$out: $(wc -c <"$out") bytes"
