package task

import (
	"fmt"
	"math"
	"strconv"

	"github.com/collabdict/collabdict/internal/discrepancy"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/vae/beta"
)

// Weights say what the weights of members in means of models follow from.
type Weights string

// The weights.
const (
	FedAvg   Weights = "fedavg"   // how many rows a member has
	FedDisco Weights = "feddisco" // and how unlike equal frequencies its labels are
	Latent   Weights = "latent"   // or how unlike the prior its encoded rows are
)

// AutoOffset is the offset that leaves everybody a weight.
const AutoOffset = "auto"

// Weighting are the settings of weights, as those of [beta.Weighting].
type Weighting struct {
	Weights Weights
	Effect  float64 // a
	Offset  string  // b, a number or AutoOffset; with FedAvg empty
	Debias  bool    // of Latent
	Every   int     // rounds after which members are weighted again; of Latent
	Publish bool
}

func (w Weighting) check() error {
	switch {
	case w.Weights != FedAvg && w.Weights != FedDisco && w.Weights != Latent:
		return wrong("weights", "want %s, %s or %s, got %q", FedAvg, FedDisco, Latent, w.Weights)
	case w.Weights == FedAvg && w.Effect != 0:
		return wrong("effect", "the weights %s have none", FedAvg)
	case w.Weights == FedAvg && w.Offset != "":
		return wrong("offset", "the weights %s have none", FedAvg)
	case w.Weights != FedAvg && !(w.Effect > 0 && !math.IsInf(w.Effect, 1)):
		return wrong("effect", "want a finite value above 0, got %g", w.Effect)
	case w.Weights != Latent && w.Debias:
		return wrong("debias", "the weights %s have none", w.Weights)
	case w.Weights != Latent && w.Every != 0:
		return wrong("weigh-every", "the weights %s have none", w.Weights)
	case w.Weights == Latent && w.Every < 1:
		return wrong("weigh-every", "want at least 1 round, got %d", w.Every)
	}
	if w.Weights == FedAvg || w.Offset == AutoOffset {
		return nil
	}
	if b, err := strconv.ParseFloat(w.Offset, 64); err != nil || b-b != 0 {
		return wrong("offset", "want a finite number or %s, got %q", AutoOffset, w.Offset)
	}
	return nil
}

// of returns the settings of a learner; they are valid.
func (w Weighting) of() beta.Weighting {
	out := beta.Weighting{Debias: w.Debias, Every: w.Every, Publish: w.Publish}
	switch w.Weights {
	case FedAvg:
		return out
	case FedDisco:
		out.By = beta.Labels
	case Latent:
		out.By = beta.Latent
	}
	b, _ := strconv.ParseFloat(w.Offset, 64)
	out.Rule = discrepancy.Rule{A: w.Effect, B: b, Auto: w.Offset == AutoOffset, Relative: w.Weights == FedDisco}
	return out
}

// shown says what members show each other.
func (w Weighting) shown() []string {
	switch {
	case !w.Publish:
		return nil
	case w.Weights == FedAvg:
		return []string{"its weight, which is its share of the rows"}
	}
	return []string{"its weight, and how unlike the others' its data are"}
}

// learned says what sums about weights tell all members.
func (w Weighting) learned() []string {
	what := "the number of rows"
	if w.Weights != FedAvg {
		what += " and the discrepancy of the data"
	}
	list := []string{"how many members have " + what + " between which powers of two, and each round the largest change of each matrix, and the loss, times the weight"}
	if w.Offset == AutoOffset {
		list = append(list, "how many members want an offset of which size")
	}
	return list
}

// reported returns how a member is weighted in a round as it is told.
func (w Weighting) reported(s beta.Standing, round int) report.Weighting {
	r := report.Weighting{Weight: s.Weight.P, ByRows: s.Weight.ByRows}
	if w.Weights == FedDisco || w.Weights == Latent && round > w.Every { // before, there is no model to measure by
		r.Discrepancy = report.Of(s.Discrepancy)
	}
	return r
}

// warnings say where the weights are not what the rule is meant for.
func (w Weighting) warnings(s beta.Standing) (list []string) {
	switch {
	case s.Weight.ByRows:
		list = append(list, fmt.Sprintf("weights: with --effect %g and --offset %s no member would have one, so each has its share of the rows: lower --effect, or take --offset %s", w.Effect, w.Offset, AutoOffset))
	case s.Weight.P == 0:
		list = append(list, fmt.Sprintf("weights: this participant has none, so that its rows change nothing: its data are too unlike the others' (%.3g) for its share of the rows", s.Discrepancy))
	}
	return list
}
