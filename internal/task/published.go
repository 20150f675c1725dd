package task

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/bounds"
	"github.com/collabdict/collabdict/internal/model"
)

// published lists what Train shows to all members of a group in the clear, and what
// they learn of all rows by sums that come before the first round. What bounds and the
// nonce need is not shown in a large one.
func (t Task) published(g collabdict.Group) []string {
	shown, sums := kinds[t.Model].shown(t)
	list := []string{}
	if bounds.Publishes(g) {
		list = append(list, "a random value for the agreed nonce")
		of := t.bounded(sums)
		if t.Model == model.MTVAE && len(of) == 0 {
			list = append(list, "the power of two above the number of own rows")
		}
		if len(of) > 0 {
			list = append(list, "the power of two above the number of own rows, and above the root mean square of each column "+strings.Join(of, ", "))
		}
	}
	if t.Model == model.CGAU {
		list = append(list, "in sums over all members, each round: of how many of them the largest change of each matrix of weights, the number of own rows and the loss lie between which powers of two")
	}
	if t.Model == model.CGAU || t.Networks.Condition != "" {
		list = append(list, "by what sums have changed of the biases: the mean of all members' conditions, so of two members each the other's")
	}
	learned := t.learned()
	if t.Model == model.BVAE {
		learned = append(learned, t.Weighting.learned()...)
	}
	for _, l := range learned {
		list = append(list, "in sums over all members: "+l)
	}
	return append(list, shown...)
}

// bounded lists in which coordinates columns are bounded; sums says whether that is so
// for the ones trained on.
func (t Task) bounded(sums bool) (of []string) {
	moments := t.Standardise == Global && t.Normalise == Standard
	if t.Standardise == Global {
		of = append(of, "in the units of the data")
	}
	if moments {
		of = append(of, "about the common mean")
	}
	if t.PCA > 0 && !moments {
		of = append(of, "as scaled", "as scaled about the common mean")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		of = append(of, "along the principal axes")
	}
	if follows := moments && t.PCA == 0 && t.Model == model.GGM; sums && !follows {
		of = append(of, "as trained on")
	}
	return of
}

// learned lists what sums before the first round, by which rows are prepared or a start
// is found, tell all members of the rows of all, beyond what every kind does.
func (t Task) learned() (what []string) {
	if t.Normalise == MinMax && t.Standardise == Global {
		what = append(what, "of each column the smallest and the largest value, which are someone's, and how many members have theirs in which 32nd of the range searched, and near these")
	}
	if (t.Model == model.CGAU || t.Weighting.Weights == FedDisco) && t.Networks.Classes == 0 {
		what = append(what, "how many members have which class as their largest")
	}
	if t.PCA > 0 || t.Standardise == Global && t.Normalise == Standard && !t.sumsProducts() {
		what = append(what, "the mean and the covariance matrix of all columns")
	}
	if t.PCA > 0 && t.Normalise == MinMax {
		what = append(what, "the smallest and the largest value along each principal axis")
	} else if ranged := t.Normalise == MinMax && t.Standardise == Global; t.Start == Spread && !ranged {
		what = append(what, "of each "+t.direction()+", as trained on, the smallest and the largest value, which are someone's, and how many members have theirs in which 32nd of the range searched, and near these")
	}
	return what
}

// sumsProducts says whether rounds make sums of the products of any two columns, which
// tell as much as their covariance matrix.
func (t Task) sumsProducts() bool {
	_, sums := kinds[t.Model].shown(t)
	return t.Model == model.GGM || sums && t.Covariance == gmm.Full.String()
}

// Conserved names what every sum of a kind tells of the rows that are in it, whatever the
// model is, as responsibilities add up to one; "" if that is nothing.
func (t Task) Conserved() string {
	_, sums := kinds[t.Model].shown(t)
	switch {
	case t.sumsProducts():
		return "N, mean and covariance"
	case sums:
		return "N, mean and variances"
	}
	return ""
}

// direction names what coordinates trained on lie along.
func (t Task) direction() string {
	if t.PCA > 0 {
		return "principal axis"
	}
	return "column"
}

// ShownWarnings tell users what members show each other in the clear because of the
// kind of model, and what of all rows they learn before the first round.
func (t Task) ShownWarnings() (list []string) {
	if shown, _ := kinds[t.Model].shown(t); len(shown) > 0 {
		list = append(list, fmt.Sprintf("privacy: with --model %s every member shows all others, and no sum hides: %s", t.Model, strings.Join(shown, "; ")))
	}
	if what := t.learned(); len(what) > 0 {
		list = append(list, "privacy: before the first round all members learn, of the rows of all: "+strings.Join(what, "; "))
	}
	return list
}
