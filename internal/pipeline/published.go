package pipeline

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/columnstats"
)

func (t *Task) disclosure() algorithm.Disclosure { return t.Algorithm.Disclosure(t.Coordinates()) }

// quartiles reports whether columns are scaled by the quartiles of all members' rows.
func (t *Task) quartiles() bool { return t.Standardise == algorithm.Global && t.Normalise == Robust }

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
	}
	list = append(list, d.Rounds...)
	for _, l := range t.learned(d) {
		list = append(list, inSums+l)
	}
	return append(list, d.Shown...)
}

// bounded lists the coordinates in which columns have public bounds.
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
		of = append(of, "about your mean")
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

// learned lists what the sums before the first round reveal about all rows: those that prepare
// rows, and those that find a start.
func (t *Task) learned(d algorithm.Disclosure) (what []string) {
	if t.Normalise == MinMax && t.Standardise == algorithm.Global {
		what = append(what, "the smallest and the largest value of each column, which are values of single rows, and how many members have theirs in each 32nd of the searched range, and close to these")
	}
	if t.quartiles() {
		what = append(what, "the quartiles of each column, and the number of rows in cells near these that hold at least a sixteenth of all rows; if quartiles coincide, also frequent values and the mean square about them")
	}
	if t.ShrinkScales > 0 {
		what = append(what, "the mean variance of each column within members, and the number of all rows")
	}
	if t.PCA > 0 || t.Standardise == algorithm.Global && t.Normalise == Standard && d.Conserved != algorithm.Covariances {
		what = append(what, "the mean and the covariance matrix of all columns")
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
	if t.PCA > 0 || t.Standardise == algorithm.Global && t.Normalise == Standard {
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
