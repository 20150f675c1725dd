package pipeline

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/columnstats"
)

func (t *Task) disclosure() algorithm.Disclosure { return t.Algorithm.Disclosure(t.Coordinates()) }

// quartiles reports whether columns are scaled by those of the rows of all.
func (t *Task) quartiles() bool { return t.Standardise == algorithm.Global && t.Normalise == Robust }

// inSums begins what published says of sums.
const inSums = "in sums over all members: "

// published lists what Train shows to all members of a group in the clear, and what
// they learn of all rows by sums that come before the first round. What bounds and the
// nonce need is not shown in a large one.
func (t *Task) published(g collabdict.Group) []string {
	d := t.disclosure()
	list := []string{}
	if columnstats.Publishes(g) {
		list = append(list, "a random value for the agreed nonce")
		of := t.bounded(d)
		if d.RowsBound && len(of) == 0 {
			list = append(list, "the power of two above the number of own rows")
		}
		if len(of) > 0 {
			list = append(list, "the power of two above the number of own rows, and above the root mean square of each column "+strings.Join(of, ", "))
		}
	}
	list = append(list, d.Rounds...)
	for _, l := range t.learned(d) {
		list = append(list, inSums+l)
	}
	return append(list, d.Shown...)
}

// bounded lists in which coordinates columns are bounded.
func (t *Task) bounded(d algorithm.Disclosure) (of []string) {
	moments := t.Standardise == algorithm.Global && t.Normalise == Standard
	if t.quartiles() {
		of = append(of, "about the median of all rows")
	} else if t.Standardise == algorithm.Global {
		of = append(of, "in the units of the data")
	}
	if moments {
		of = append(of, "about a point near all rows")
	}
	if t.ShrinkScales > 0 {
		of = append(of, "about the own mean")
	}
	if t.PCA > 0 && !moments {
		of = append(of, "as scaled", "as scaled about a point near all rows")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		of = append(of, "along the principal axes")
	}
	if follows := moments && t.PCA == 0 && d.KnownMoments; d.Sums && !follows {
		of = append(of, "as trained on")
	}
	return of
}

// learned lists what sums before the first round, by which rows are prepared or a start
// is found, tell all members of the rows of all.
func (t *Task) learned(d algorithm.Disclosure) (what []string) {
	if t.Normalise == MinMax && t.Standardise == algorithm.Global {
		what = append(what, "of each column the smallest and the largest value, which are someone's, and how many members have theirs in which 32nd of the range searched, and near these")
	}
	if t.quartiles() {
		what = append(what, "of each column the quartiles, and how many rows are near these, in cells with at least a sixteenth of all rows; where quartiles are the same, values that so many rows have, and the mean square of all rows about them")
	}
	if t.ShrinkScales > 0 {
		what = append(what, "of each column the mean variance within members, and the number of all rows")
	}
	if t.PCA > 0 || t.Standardise == algorithm.Global && t.Normalise == Standard && d.Conserved != algorithm.Covariances {
		what = append(what, "the mean and the covariance matrix of all columns")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		what = append(what, "the smallest and the largest value along each principal axis")
	}
	return append(what, d.Learned...)
}

// Conserved names what every total of a sum tells of the rows that are in it, whatever the
// model is; "" if that is nothing.
func (t *Task) Conserved() string { return t.disclosure().Conserved.String() }

// ConservedInRuns names what of rows the totals of any two runs tell, as Conserved does of
// the totals of one; the start of a run may tell more. Tells is false if noise hides all that
// a run tells of rows.
func (t *Task) ConservedInRuns() (known string, tells bool) {
	if t.PCA > 0 || t.Standardise == algorithm.Global && t.Normalise == Standard {
		return algorithm.Covariances.String(), true
	}
	return t.Conserved(), t.Traits().Noise == nil
}

// ShownWarnings tell users what members show each other in the clear because of the
// algorithm, and what of all rows they learn before the first round.
func (t *Task) ShownWarnings() (list []string) {
	d := t.disclosure()
	if len(d.Shown) > 0 {
		list = append(list, fmt.Sprintf("privacy: with --model %s every member shows all others, and no sum hides: %s", t.Kind.Name, strings.Join(d.Shown, "; ")))
	}
	if what := t.learned(d); len(what) > 0 {
		list = append(list, "privacy: before the first round all members learn, of the rows of all: "+strings.Join(what, "; "))
	}
	return list
}
