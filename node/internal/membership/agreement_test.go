package membership

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
	"github.com/collabdict/collabdict/internal/wire"
)

func agreements() *rapid.Generator[Agreement] {
	return rapid.Custom(func(t *rapid.T) Agreement {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "ab"}), 0, 4, rapid.ID).Draw(t, "names")
		a := make(Agreement, len(names))
		for i, n := range names {
			a[i] = Field{n, rapid.SampledFrom([]string{"", "1", "b1"}).Draw(t, "value")}
		}
		return a
	})
}

// Two agreements have the same identity exactly if no field differs, and both sides see a
// difference.
func TestIdentityAndDifferenceAgree(t *testing.T) {
	onWire := func(a Agreement) (f []wire.Field) {
		for _, g := range a {
			f = append(f, wire.Field(g))
		}
		return f
	}
	rapid.Check(t, func(t *rapid.T) {
		a := agreements().Draw(t, "a")
		b := rapid.OneOf(agreements(), rapid.Permutation(a)).Draw(t, "b")
		_, own, theirs, differs := a.Difference(onWire(b))
		_, _, _, back := b.Difference(onWire(a))
		if same := a.ID() == b.ID(); same == differs || differs != back || differs && own == theirs {
			t.Fatalf("same identity %v, differ %v and from the other side %v: %q and %q", same, differs, back, own, theirs)
		}
	})
}

func TestValuesAreQuoted(t *testing.T) {
	a := Agreement{{"columns", strings.Repeat("x", 500)}}
	_, own, theirs, _ := a.Difference([]wire.Field{{Name: "columns", Value: "a\n\x1b[2J"}})
	if len(own) > 140 || strings.ContainsAny(theirs, "\n\x1b") {
		t.Errorf("got %q and %q", own, theirs)
	}
}
