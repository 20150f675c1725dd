package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/node"
)

// wanted tracks the printed lines about members that want other changes than this one.
type wanted struct{ seen, told string }

// news returns a line about members that want different changes, once for each situation. The
// situation must last for two looks: operators write the same change one after the other, and
// members learn of a decided change at different times.
func (w *wanted) news(s node.Status) string {
	line := otherWishes(s)
	stands := line == w.seen
	w.seen = line
	if !stands || line == w.told {
		return ""
	}
	w.told = line
	return line
}

// otherWishes describes the changes that other members want and this one does not, "" if there
// are none.
func otherWishes(s node.Status) string {
	own := slices.IndexFunc(s.Wanted, func(w node.Wanted) bool { return w.Own })
	var parts []string
	for i, w := range s.Wanted {
		if i != own {
			parts = append(parts, strings.Join(w.Names, ", "))
		}
	}
	switch {
	case parts == nil:
		return ""
	case own >= 0:
		return fmt.Sprintf("members want different changes: %s the one in this agreement, %s; %d must want the same: compare the files",
			strings.Join(s.Wanted[own].Names, ", "), others(parts), s.Quorum)
	}
	return fmt.Sprintf("members want a change that this agreement does not have: %s; %d must want the same", strings.Join(parts, "; another one: "), s.Quorum)
}

// others joins groups of members that each want another change.
func others(groups []string) string {
	for i := range groups {
		groups[i] += " another one"
	}
	return strings.Join(groups, ", ")
}
