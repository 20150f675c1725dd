package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostName is the most bytes of a participant's name.
const mostName = 100

// taken are names that stand beside the participants' folders.
var taken = []string{"result.json", "consortium.yaml", "init.json", "data"}

// CheckName tells whether a participant may have this name: it names a folder
// and is printed in one line. The error is of type [*Error].
func CheckName(name string) error {
	return checkName(name, Error{})
}

// checkName says where the name comes from and what to do as in from.
func checkName(name string, from Error) error {
	from.Msg = nameFault(name)
	if from.Msg == "" {
		return nil
	}
	return &from
}

// nameFault says what is wrong with a name, "" for nothing.
func nameFault(name string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	var want string
	switch {
	case name == "" || len(name) > mostName:
		return fmt.Sprintf("want a participant's name of 1 to %d bytes, got %d", mostName, len(name))
	case !utf8.ValidString(name):
		want = "in valid UTF-8"
	case strings.ContainsFunc(name, unprintable):
		want = "without control characters"
	case strings.ContainsAny(name, `/\`):
		want = `without / and \`
	case strings.HasPrefix(name, "."):
		want = "that does not begin with a dot"
	case slices.Contains(taken, name):
		want = "other than " + strings.Join(taken, ", ") + ", which stand in the same folder"
	default:
		return ""
	}
	return fmt.Sprintf("want a participant's name %s, got %q", want, name)
}
