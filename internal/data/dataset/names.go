package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/collabdict/collabdict/internal/files/printable"
)

// mostName bounds a participant's name, in bytes.
const mostName = 100

// taken lists names of files and folders beside the participants' folders.
var taken = []string{"result.json", "consortium.yaml", "init.json", "data"}

// CheckName checks a participant's name, which must name a folder and fit on a line. The error
// is of type [*Error].
func CheckName(name string) error {
	return checkName(name, Error{})
}

// checkName is CheckName with the place and the advice of from.
func checkName(name string, from Error) error {
	from.Msg = nameFault(name)
	if from.Msg == "" {
		return nil
	}
	return &from
}

// nameFault describes what is wrong with a name, "" if nothing is.
func nameFault(name string) string {
	var want string
	switch {
	case name == "" || len(name) > mostName:
		return fmt.Sprintf("want a participant's name of 1 to %d bytes, got %d", mostName, len(name))
	case !utf8.ValidString(name):
		want = "in valid UTF-8"
	case !printable.Name(name):
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
