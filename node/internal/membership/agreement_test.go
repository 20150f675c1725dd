package membership

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
	"github.com/collabdict/collabdict/internal/wire"
)

func agreements() *rapid.Generator[Agreement] {
	return rapid.Custom(func(t *rapid.T) Agreement {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "ab", "l 1", "l 2", "l 3", "number of ls"}), 0, 6, rapid.ID).Draw(t, "names")
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

// Lists with other elements differ as one field, which names the elements that one side lacks.
func TestDifferencesOfLists(t *testing.T) {
	list := func(columns ...string) (a Agreement) {
		a = Agreement{{"model", "ggm"}, {"number of columns", fmt.Sprint(len(columns))}}
		for i, c := range columns {
			a = append(a, Field{fmt.Sprintf("column %d", i+1), c})
		}
		return a
	}
	own := list("temp", "flow", "press")
	for _, c := range []struct {
		other Agreement
		want  []Difference
	}{
		{list("temp", "flow", "press"), nil},
		{list("temp", "press"), []Difference{{"columns", `"flow"`, Missing}}},
		{list("level", "temp", "press"), []Difference{{"columns", `"flow"`, `"level"`}}},
		{list("temp", "press", "flow"), []Difference{{"column 2", `"flow"`, `"press"`}, {"column 3", `"press"`, `"flow"`}}},
		{list(), []Difference{{"number of columns", `"3"`, `"0"`}, {"column 1", `"temp"`, Missing}, {"column 2", `"flow"`, Missing}, {"column 3", `"press"`, Missing}}},
	} {
		var other []wire.Field
		for _, f := range c.other {
			other = append(other, wire.Field(f))
		}
		if got := own.Differences(other); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.other, got, c.want)
		}
	}
}

func TestValuesAreQuoted(t *testing.T) {
	a := Agreement{{"columns", strings.Repeat("x", 500)}}
	_, own, theirs, _ := a.Difference([]wire.Field{{Name: "columns", Value: "a\n\x1b[2J"}})
	if len(own) > 140 || strings.ContainsAny(theirs, "\n\x1b") {
		t.Errorf("got %q and %q", own, theirs)
	}
}
