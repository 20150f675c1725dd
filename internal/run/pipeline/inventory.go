package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

func (t *Task) disclosure() algorithm.Disclosure { return t.Algorithm.Disclosure(t.Coordinates()) }

// framed reports whether members agree on a frame of all rows.
func (t *Task) framed() bool {
	return t.Standardise == algorithm.Auto || t.Standardise == algorithm.Global && t.Normalise != MinMax || t.NeedsFrame()
}

// Inventory returns everything that depends on the participant's rows and that Fit shows to the
// other members, with the members' random values for the nonce, which large groups do not have.
func (t *Task) Inventory(g collabdict.Group) (items []algorithm.Item) {
	d := t.disclosure()
	if g.Membership().Size <= consensus.SmallRoster {
		items = append(items, Nonce)
	}
	atStart := func(e collabdict.Entry, form algorithm.Form, what, hidden string) {
		items = append(items, algorithm.Item{Entry: e, What: what, Form: form, When: algorithm.AtStart, Hidden: hidden})
	}
	if t.Window == FindWindow {
		items = append(items, OrderItem)
	}
	if of := t.bounded(d); len(of) > 0 {
		atStart(columnstats.BoundsEntry, algorithm.Summed, "how many members have which power of two above the number of their rows, and above the root mean square of each column "+strings.Join(of, ", "), "")
	} else if d.RowsBound {
		atStart(columnstats.BoundsEntry, algorithm.Summed, "how many members have which power of two above the number of their rows", "")
	}
	if t.framed() {
		atStart(columnstats.FrameEntry, algorithm.Summed, "how many members have which powers of two above the middle and the spread of each column, in the data and in the common frame", "")
		atStart(columnstats.FrameEntry, algorithm.Summed, "a rough middle and spread of each column", "secret random weights of each member")
	}
	return append(append(items, t.learned()...), d.Items...)
}

// Nonce is the item of the members' random values, which no row changes.
var Nonce = algorithm.Item{Entry: collabdict.NonceEntry, What: "a random value for the agreed nonce", Form: algorithm.Published, When: algorithm.AtStart, Epsilon: algorithm.FreeOfRows}

// PastRun is the item of what a participant that keeps a folder publishes with its part of the
// nonce. With epsilon, it publishes nothing there.
var PastRun = algorithm.Item{
	Entry: collabdict.NonceEntry, Form: algorithm.Published, When: algorithm.AtStart,
	What: "the identity of the last run in the own folder, the number of its members, and whether the own rows have changed since",
}

// published lists the inventory as text.
func published(items []algorithm.Item) []string {
	list := []string{}
	for _, i := range items {
		list = append(list, Line(i))
	}
	return list
}

// Line describes an item without saying who sees it.
func Line(i algorithm.Item) string {
	what := i.What
	if i.Hidden != "" {
		what += " (hidden by " + i.Hidden + ")"
	}
	switch {
	case i.Form == algorithm.Summed && i.When == algorithm.AtStart:
		return inSums + ": " + what
	case i.Form == algorithm.Summed:
		return fmt.Sprintf("%s, %s: %s", inSums, i.When, what)
	}
	return what
}

const inSums = "in sums over all members"

// Summed returns the text after the place of a line of an inventory, if it is of sums.
func Summed(line string) (what string, sums bool) {
	if !strings.HasPrefix(line, inSums) {
		return line, false
	}
	_, what, _ = strings.Cut(line, ": ")
	return what, true
}

// inventoried is a group in which a collective that is not in the inventory panics before anything
// leaves the participant.
type inventoried struct {
	collabdict.Group
	items []algorithm.Item
}

func (g inventoried) check(e collabdict.Entry) {
	if !slices.ContainsFunc(g.items, func(i algorithm.Item) bool { return i.Entry == e }) {
		panic(fmt.Sprintf("pipeline: want an item of the inventory for each collective, got none for %q", e))
	}
}

// Sum implements [collabdict.Group].
func (g inventoried) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	g.check(s.Entry)
	return g.Group.Sum(ctx, s)
}

// Gather implements [collabdict.Group].
func (g inventoried) Gather(ctx context.Context, e collabdict.Entry, blob []byte) ([][]byte, error) {
	g.check(e)
	return g.Group.Gather(ctx, e, blob)
}

// bounded lists the coordinates in which columns have public bounds.
func (t *Task) bounded(d algorithm.Disclosure) (of []string) {
	if t.Standardise == algorithm.Global && t.Normalise == MinMax {
		of = append(of, "in the units of the data")
	}
	if t.PCA > 0 {
		of = append(of, "as scaled")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		of = append(of, "along the principal axes")
	}
	if d.Sums {
		of = append(of, "as trained on")
	}
	if t.Standardise == algorithm.Auto {
		of = append(of, "in the common frame")
	}
	return of
}

// learned lists what the sums that prepare rows reveal exactly about all rows.
func (t *Task) learned() (items []algorithm.Item) {
	add := func(e collabdict.Entry, what string) {
		items = append(items, algorithm.Item{Entry: e, What: what, Form: algorithm.Summed, When: algorithm.AtStart})
	}
	if t.Normalise == MinMax && t.Standardise == algorithm.Global {
		add(columnstats.ExtremesEntry, "the smallest and the largest value of each column, which are values of single rows, and how many members have theirs in each 32nd of the searched range, and close to these")
	}
	if t.PCA > 0 {
		add(columnstats.MomentsEntry, "the number, the mean and the covariance matrix of all rows, exactly; if two runs differ by one member, they show those of its rows")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		add(columnstats.ExtremesEntry, "the smallest and the largest value along each principal axis")
	}
	return items
}

// Conserved names what every total reveals about the rows behind it, for any model. It is empty
// if totals reveal nothing.
func (t *Task) Conserved() string { return t.disclosure().Conserved.String() }

// ConservedInRuns names what the totals of any two runs reveal about rows, as Conserved does
// for the totals of one run. The start of a run may reveal more. tells is false if noise hides
// everything that a run reveals.
func (t *Task) ConservedInRuns() (known string, tells bool) {
	if t.PCA > 0 {
		return algorithm.Covariances.String(), true
	}
	return t.Conserved(), t.Traits().Noise == nil
}

// ShownWarnings returns warnings about values that the algorithm shows in the clear, and about
// what members learn exactly about all rows before the first round.
func (t *Task) ShownWarnings() (list []string) {
	var shown, learned []string
	for _, i := range append(t.learned(), t.disclosure().Items...) {
		switch {
		case i.Form == algorithm.Published:
			shown = append(shown, Line(i))
		case i.When == algorithm.AtStart && i.Form != algorithm.Inferred:
			learned = append(learned, i.What)
		}
	}
	if len(shown) > 0 {
		list = append(list, fmt.Sprintf("privacy: with --model %s every member shows all others the following, and no sum hides it: %s", t.Kind.Name, strings.Join(shown, "; ")))
	}
	if len(learned) > 0 {
		list = append(list, "privacy: before the first round, all members learn about the rows of all: "+strings.Join(learned, "; "))
	}
	return list
}
