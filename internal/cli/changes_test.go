package cli

import (
	"testing"

	"github.com/collabdict/collabdict/node"
)

// Members that want different changes are reported once the difference persists, and again when it
// changes.
func TestDifferentWishesAreReported(t *testing.T) {
	of := func(own bool, names ...string) node.Wanted { return node.Wanted{Names: names, Own: own} }
	both := []node.Wanted{of(true, "a", "c"), of(false, "b")}
	const differ = "members want different changes: a, c the one in this agreement, b another one; 3 must want the same: compare the files"
	var w wanted
	for i, c := range []struct {
		wanted []node.Wanted
		want   string
	}{
		{nil, ""},
		{[]node.Wanted{of(false, "a")}, ""}, // the others are about to
		{[]node.Wanted{of(true, "a", "b")}, ""},
		{[]node.Wanted{of(true, "a", "b")}, ""},
		{both, ""},
		{both, differ},
		{both, ""},
		{[]node.Wanted{of(false, "a", "b"), of(false, "d")}, ""},
		{[]node.Wanted{of(false, "a", "b"), of(false, "d")}, "members want a change that this agreement does not have: a, b; another one: d; 3 must want the same"},
		{nil, ""},
		{nil, ""},
		{both, ""},
		{both, differ},
	} {
		if got := w.news(node.Status{Quorum: 3, Wanted: c.wanted}); got != c.want {
			t.Errorf("%d: said %q, want %q", i, got, c.want)
		}
	}
}
