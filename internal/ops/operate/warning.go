package operate

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/collabdict/collabdict/internal/run/report"
)

// presence has the warnings of the node about a member that goes or comes.
var presence = map[string]report.WarningKind{
	"a member is lost":  report.AbsentWarning,
	"a member has left": report.AbsentWarning,
	"cannot reach a member: check that it runs, its addresses, and the firewalls on the way":         report.LinkWarning,
	"a member alone hears nothing from another, while a quorum does: check the link between the two": report.LinkWarning,
	"a member is back":                           report.ReturnedWarning,
	"a member has restarted and resumes the run": report.ReturnedWarning,
}

// NodeWarning returns a warning in the log of the node as a sentence, given its message and its
// attributes: keys and values in turn. Peer IDs are left out, since the list of members has them.
func NodeWarning(msg string, attributes []any) report.Warning {
	w := report.Warning{Text: msg, Kind: presence[msg]}
	var why []string
	for i := 0; i+1 < len(attributes); i += 2 {
		key, value := fmt.Sprint(attributes[i]), fmt.Sprint(attributes[i+1])
		switch key {
		case "name":
			w.Text = strings.Replace(w.Text, "a member", value, 1)
			w.Members = append(w.Members, value)
		case "of":
			w.Text = strings.Replace(w.Text, "another", value, 1)
			w.Members = append(w.Members, value)
		case "peer":
		case "reason", "error":
			why = append(why, ageless(value))
		default:
			why = append(why, key+": "+value)
		}
	}
	if len(why) > 0 {
		w.Text += " (" + strings.Join(why, "; ") + ")"
	}
	return w
}

var age = regexp.MustCompile(`(nothing heard) for [0-9.hms]+$`)

// ageless returns why a member is absent, without how long it has been silent. Members measure that at
// different moments, so several places would disagree.
func ageless(reason string) string { return age.ReplaceAllString(reason, "$1") }
