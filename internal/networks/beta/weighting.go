package beta

import (
	"fmt"
	"math"
	"strconv"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/internal/networks/discrepancy"
	"github.com/collabdict/collabdict/option"
)

// The kinds of weights of members in means of models.
const (
	byRows   = "fedavg"   // by the member's number of rows
	byLabels = "feddisco" // also by how much its labels differ from equal frequencies
	byCodes  = "latent"   // also by how much its encoded rows differ from the prior
)

// auto selects an offset with which every member has a weight.
const auto = "auto"

func (s *Settings) weightingOptions() option.Table {
	weighted := func() bool { return s.Weights != byRows }
	coded := func() bool { return s.Weights == byCodes }
	labelled := func() bool { return s.Weights == byLabels }
	const either, codes, labels = "--weights feddisco or latent", "--weights latent", "--weights feddisco"
	return option.Table{
		option.String(&s.Weights, "weights", byRows, "`WEIGHT` of each member in the average: fedavg (by its number of rows), feddisco (less if its classes are uneven) or latent (less if its encoded rows are unusual)",
			option.OneOf(byRows, byLabels, byCodes)),
		option.Float(&s.Effect, "effect", 0.1, "with "+either+": strength `A` of the discrepancy in a member's weight, which is (share of the rows - A*discrepancy + B), at least 0, for B see --offset; with feddisco, the default is 0.5",
			option.Above(0, math.MaxFloat64), option.DefaultBy(func() float64 {
				if labelled() {
					return 0.5
				}
				return 0.1
			})).Needs(either, weighted).ForExperts(),
		option.String(&s.Offset, "offset", auto, "with "+either+": constant `B` in a member's weight, see --effect; auto gives every member a positive weight; with feddisco, the default is 0.1",
			option.Check(checkOffset), option.DefaultBy(func() string {
				if labelled() {
					return "0.1"
				}
				return auto
			})).Needs(either, weighted).ForExperts(),
		option.Bool(&s.Debias, "debias", false, "with "+codes+": correct discrepancies for small-sample bias").Needs(codes, coded).ForExperts(),
		option.Int(&s.WeighEvery, "weigh-every", 5, "with "+codes+": compute the weights every `N` rounds; before the first time, they follow from the numbers of rows",
			option.Check(func(rounds int) error {
				if rounds < 1 {
					return fmt.Errorf("want at least 1 round, got %d", rounds)
				}
				return nil
			})).Needs(codes, coded).ForExperts(),
		option.Bool(&s.PublishWeights, "publish-weights", false, "show each member's weight and discrepancy to all members, and list them in models"),
		networks.Classes(&s.Classes).Needs(labels, labelled),
	}
}

func checkOffset(text string) error {
	if b, err := strconv.ParseFloat(text, 64); text != auto && (err != nil || b-b != 0) {
		return fmt.Errorf("want a finite number or %s, got %q", auto, text)
	}
	return nil
}

func (s *Settings) weighting() Weighting {
	w := Weighting{Debias: s.Debias, Every: s.WeighEvery, Publish: s.PublishWeights}
	switch s.Weights {
	case byRows:
		return w
	case byLabels:
		w.By = Labels
	case byCodes:
		w.By = Latent
	}
	b, _ := strconv.ParseFloat(s.Offset, 64)
	w.Rule = discrepancy.Rule{A: s.Effect, B: b, Auto: s.Offset == auto, Relative: s.Weights == byLabels}
	return w
}

// weightsEntry names published weights.
const weightsEntry collabdict.Entry = "weights"

// weightItems describes what members learn about weights.
func (s *Settings) weightItems() []algorithm.Item {
	what, total := "the number of rows", "the number of rows"
	if s.Weights != byRows {
		what += " and the discrepancy of the data"
		total += ", the discrepancies and the weights before they are divided by their sum"
	}
	item := func(e collabdict.Entry, what string) algorithm.Item {
		return algorithm.Item{Entry: e, What: what, Form: algorithm.Summed, When: algorithm.EachRound}
	}
	list := []algorithm.Item{
		average.BoundsItem("the largest change of each matrix, and the loss, times the weight"),
		item(discrepancy.Entry, "how many members have "+what+" between which powers of two"),
		item(discrepancy.Entry, total),
	}
	if s.Offset == auto {
		list = append(list, item(discrepancy.Entry, "how many members need how large an offset"))
	}
	if s.PublishWeights {
		own := "its weight, and how much its data differ from the others'"
		if s.Weights == byRows {
			own = "its weight, which is its share of the rows"
		}
		list = append(list, algorithm.Item{Entry: weightsEntry, What: own, Form: algorithm.Published, When: algorithm.EachRound})
	}
	return list
}

// reported returns the weight of a member in a round for the result.
func (s *Settings) reported(of Standing, round int) *algorithm.Weighting {
	w := &algorithm.Weighting{Weight: of.Weight.P, ByRows: of.Weight.ByRows}
	if s.Weights == byLabels || s.Weights == byCodes && round > s.WeighEvery { // before, no model could measure it
		w.Discrepancy, w.Measured = of.Discrepancy, true
	}
	return w
}

// weightWarnings returns warnings about weights for which the rule is not meant.
func (s *Settings) weightWarnings(of Standing) []string {
	switch {
	case of.Weight.ByRows:
		return []string{fmt.Sprintf("weights: --effect %g and --offset %s would give every member weight 0, so each has its share of the rows instead: lower --effect, or set --offset %s", s.Effect, s.Offset, auto)}
	case of.Weight.P == 0:
		return []string{fmt.Sprintf("weights: this participant has weight 0, so its rows change nothing: its data differ too much from the others' (%.3g) for its share of the rows", of.Discrepancy)}
	}
	return nil
}
