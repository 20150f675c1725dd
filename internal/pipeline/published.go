package pipeline

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/columnstats"
)

func (t *Task) disclosure() algorithm.Disclosure { return t.Algorithm.Disclosure(t.Coordinates()) }

// framed reports whether members agree on a frame of all rows.
func (t *Task) framed() bool {
	return t.Standardise == algorithm.Global && t.Normalise != MinMax || t.ShrinkScales > 0 || t.NeedsFrame()
}

// inSums begins the entries of published that are about sums.
const inSums = "in sums over all members: "

// published lists what Train shows to all members: values in the clear, and what the sums
// before the first round reveal about all rows. In large groups, bounds and the nonce are not
// shown in the clear.
func (t *Task) published(g collabdict.Group) []string {
	d := t.disclosure()
	list := []string{}
	if columnstats.Publishes(g) {
		list = append(list, "a random value for the agreed nonce")
		of := t.bounded(d)
		if d.RowsBound && len(of) == 0 {
			list = append(list, "the power of two above your number of rows")
		}
		if len(of) > 0 {
			list = append(list, "the power of two above your number of rows, and above the root mean square of each column "+strings.Join(of, ", "))
		}
		if t.framed() {
			list = append(list, "the powers of two above the middle and the spread of each of your columns")
		}
	}
	list = append(list, d.Rounds...)
	if t.framed() {
		list = append(list, inSums+"a rough middle and spread of each column, in which secret random weights hide those of each member")
	}
	for _, l := range t.learned(d) {
		list = append(list, inSums+l)
	}
	return append(list, d.Shown...)
}

// bounded lists the coordinates in which columns have public bounds.
func (t *Task) bounded(d algorithm.Disclosure) (of []string) {
	if t.framed() {
		of = append(of, "in the common frame")
	}
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
	return of
}

// learned lists what the sums before the first round reveal exactly about all rows: those that
// prepare rows, and those that find a start.
func (t *Task) learned(d algorithm.Disclosure) (what []string) {
	if t.Normalise == MinMax && t.Standardise == algorithm.Global {
		what = append(what, "the smallest and the largest value of each column, which are values of single rows, and how many members have theirs in each 32nd of the searched range, and close to these")
	}
	if t.PCA > 0 {
		what = append(what, "the number, the mean and the covariance matrix of all rows, exactly; if two runs differ by one member, they show those of its rows")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		what = append(what, "the smallest and the largest value along each principal axis")
	}
	return append(what, d.Learned...)
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
// what members learn about all rows before the first round.
func (t *Task) ShownWarnings() (list []string) {
	d := t.disclosure()
	if len(d.Shown) > 0 {
		list = append(list, fmt.Sprintf("privacy: with --model %s every member shows all others the following, and no sum hides it: %s", t.Kind.Name, strings.Join(d.Shown, "; ")))
	}
	if what := t.learned(d); len(what) > 0 {
		list = append(list, "privacy: before the first round, all members learn about the rows of all: "+strings.Join(what, "; "))
	}
	return list
}
