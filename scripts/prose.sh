#!/bin/sh
# Checks documents, the program's help and messages, and the comments of Go code with Vale,
# by the rules in styles/collabdict. Needs go and a C compiler.
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

# A command's help as Markdown: a flag is an item of a list.
help() { # the command's words
	"$dir/collabdict" "$@" --help >"$dir/text"
	awk '
		/^(Usage|Examples):/ { code = 1; flag = 0; next }
		/^[A-Z][A-Za-z ,()]*:$/ { code = flag = 0; next }
		/^  +(-[a-z], )?--/ { flag = 1; sub(/^ +(-[a-z], )?--[^ ]+/, ""); print "\n- " $0; next }
		code { next }
		/^  [a-z-]+ / && !flag { sub(/^  [a-z-]+ +/, ""); print "\n- " $0; next }
		/^  +[^ ]/ { print "" }
		{ sub(/^ +/, ""); print }' "$dir/text" >"$dir/help/$(echo collabdict "$@" | tr ' ' -).md"
	for command in $(awk '/^[A-Z]/ { on = /^Commands:/ } on && /^  / { print $1 }' "$dir/text" | grep -vx 'help\|completion'); do
		(help "$@" "$command")
	done
}
mkdir "$dir/help"
help

# All messages of the program, each with its place in the source.
go test . -count=1 -run '^TestMessages$' -args -table "$dir/messages.md" >"$dir/log" || { cat "$dir/log" >&2; exit 1; }

# The rules catch each passage of styles/before.txt, and none of styles/after.txt, which says
# the same in plain English.
for passages in before after; do
	sed G styles/$passages.txt >"$dir/$passages.md"
	"$dir/vale" --no-global --no-exit --output line "$dir/$passages.md" | cut -d: -f2 | sort -un >"$dir/$passages"
done
sed -n 'p;n' "$dir/before.md" | awk 'NR == FNR { caught[$1] = 1; next } !(2 * FNR - 1 in caught) { print "prose.sh: the rules miss: " $0; missed = 1 } END { print NR - FNR " of " FNR " passages of styles/before.txt are caught"; exit missed }' "$dir/before" - >&2
[ ! -s "$dir/after" ] || { echo "prose.sh: the rules object to plain English, styles/after.txt:" >&2; cat "$dir/after" >&2; exit 1; }

{ ls "$dir"/help/*.md; echo "$dir/messages.md"; git ls-files '*.md' '*.go' ':!*.pb.go'; } |
	xargs "$dir/vale" --no-global --no-exit --output line >"$dir/findings"
awk -v messages="$dir/messages.md" '
	NR == FNR { text[FNR] = $0; next }
	index($0, messages) == 1 { split(substr($0, length(messages) + 2), at, ":"); print text[at[1]] ": " substr($0, length(messages) + 2); next }
	{ print }' "$dir/messages.md" "$dir/findings"
[ ! -s "$dir/findings" ]
