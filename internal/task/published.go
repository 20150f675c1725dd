package task

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
)

// published lists what Train shows to all members of a group in the clear. What
// bounds and the nonce need is not shown in a large one.
func (t Task) published(g collabdict.Group) []string {
	shown, sums := kinds[t.Model].shown(t)
	list := []string{}
	if bounds.Publishes(g) {
		list = append(list, "a random value for the agreed nonce")
		if sums || t.Standardise == Global {
			of := " as trained on"
			if t.Standardise == Global {
				of = ", and of its deviation from the common mean"
			}
			list = append(list, "the power of two above the number of own rows, and above the root mean square of each column"+of)
		}
	}
	return append(list, shown...)
}

// ShownWarning tells users what members show each other in the clear because of the
// kind of model; empty if that is nothing.
func (t Task) ShownWarning() string {
	shown, _ := kinds[t.Model].shown(t)
	if len(shown) == 0 {
		return ""
	}
	return fmt.Sprintf("privacy: with --model %s every member shows all others, and no sum hides: %s", t.Model, strings.Join(shown, "; "))
}
