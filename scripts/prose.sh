#!/bin/sh
# Checks documents, the program's help and the comments of Go code with Vale, by the rules
# in styles/collabdict. .vale.ini lists the paths that are not checked yet. Needs go and a C
# compiler. With --all, the paths that are not checked yet are counted, too.
set -eu
cd "$(dirname "$0")/.."
version=v3.21.0
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
	echo "prose.sh: SKIPPED, NOTHING CHECKED: Vale needs a C compiler" >&2
	exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
GOBIN=$dir go install "github.com/vale-cli/vale/v3/cmd/vale@$version" 2>"$dir/log" || { cat "$dir/log" >&2; exit 1; }
go build -o "$dir/collabdict" ./cmd/collabdict

# A command's help as Markdown: a flag is an item of a list. The texts of flags are not
# checked yet: without --all they are left out.
flags=${1-}
help() { # the command's words
	"$dir/collabdict" "$@" --help >"$dir/text"
	awk -v flags="$flags" '
		/^(Usage|Examples):/ { code = 1; flag = 0; next }
		/^[A-Z][A-Za-z ,()]*:$/ { code = flag = 0; next }
		/^  +(-[a-z], )?--/ { flag = 1; sub(/^ +(-[a-z], )?--[^ ]+/, ""); if (flags) print "\n- " $0; next }
		code || flag && !flags { next }
		/^  [a-z-]+ / && !flag { sub(/^  [a-z-]+ +/, ""); print "\n- " $0; next }
		{ sub(/^ +/, ""); print }' "$dir/text" >"$dir/help/$(echo collabdict "$@" | tr ' ' -).md"
	for command in $(awk '/^[A-Z]/ { on = /^Commands:/ } on && /^  / { print $1 }' "$dir/text" | grep -vx 'help\|completion'); do
		(help "$@" "$command")
	done
}
mkdir "$dir/help"
help

if [ "${1-}" = --all ]; then
	sed '/^# Not checked yet/,$d' .vale.ini | sed "s|^StylesPath = .*|StylesPath = $PWD/styles|" >"$dir/all.ini"
	{ ls "$dir"/help/*.md; git ls-files '*.md' '*.go' ':!*.pb.go'; } | xargs "$dir/vale" --no-global --config "$dir/all.ini" --no-exit --output line >"$dir/left"
	cut -d: -f4 "$dir/left" | sort | uniq -c
	cut -d: -f1 "$dir/left" | sed 's|/[^/]*$||' | sort | uniq -c | sort -rn
	exit
fi
{ ls "$dir"/help/*.md; git ls-files '*.md' '*.go' ':!*.pb.go'; } | xargs "$dir/vale" --no-global --output line
