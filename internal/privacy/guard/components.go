package guard

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Components records which components of a mixture a participant leaves out, or replaces by a
// draw. None of them ever returns, so that training settles. The zero value has none.
type Components struct {
	without []bool  // per component: own rows do not belong to it; nil if all belong
	draws   []*draw // per component: the draw that replaces the own part; nil if there is none
}

// Of defines how statistics are computed.
type Of struct {
	Rule  privacy.Rule
	Model *gmm.Mixture
	// Statistics makes the E-step of the own rows with a model, and measures how they share in
	// it.
	Statistics func(m *gmm.Mixture) (*passes.Moments, error)
	// Origin is the point about which moments are taken; nil means 0.
	Origin []float64
	// Fits reports whether moments are within the agreed bounds.
	Fits func(s *passes.Moments) bool
	// Mean draws the mean that replaces the own part of component k, given the number of rows
	// in the part.
	Mean func(k int, rows float64) []float64
}

// Statistics returns the statistics to send, the components then left out or drawn, and the newly
// changed ones. It does not change c. It handles one component at a time, the least diverse first,
// because the rows of that one may make another component diverse enough.
func (c Components) Statistics(of Of) (s *passes.Moments, after Components, done []algorithm.LowDiversity, err error) {
	k := of.Model.Components()
	after = Components{slices.Clone(c.without), slices.Clone(c.draws)}
	if of.Rule.Acts() && after.without == nil {
		after.without, after.draws = make([]bool, k), make([]*draw, k)
	}
	for {
		if s, err = of.Statistics(after.left(of.Model)); err != nil || !of.Rule.Acts() {
			return s, after, nil, err
		}
		for {
			low := leastDiverse(s.Shares, of.Rule, after.settled)
			if low < 0 {
				break
			}
			what := of.Rule.OfData(s.Shares[low])
			if spare := after.spare(low, of.Model); of.Rule.Policy == privacy.Stop || !spare && !slices.ContainsFunc(after.draws, drawn) {
				return nil, c, nil, &privacy.LowError{Component: low + 1, Components: k, Shares: what, Least: of.Rule.Least}
			} else if !spare {
				after.leaveOut(slices.IndexFunc(after.draws, drawn), done)
				break
			}
			entry := algorithm.LowDiversity{Component: low + 1, Rows: math.Exp(what.Nats), Largest: what.Largest, Action: string(of.Rule.Policy)}
			if done = append(done, entry); of.Rule.Policy == privacy.SkipComponent {
				after.without[low] = true
				break
			}
			after.draws[low] = newDraw(of.Model, low, of.Mean(low, what.Rows))
		}
		if after.any(s.Shares) {
			continue
		}
		refused := after.replace(s, of)
		if refused < 0 {
			return s, after, done, nil
		}
		after.leaveOut(refused, done)
	}
}

// leaveOut leaves out a component that a draw was to replace.
func (c Components) leaveOut(k int, done []algorithm.LowDiversity) {
	c.draws[k], c.without[k] = nil, true
	for i := range done {
		if done[i].Component == k+1 {
			done[i].Action = string(privacy.SkipComponent)
		}
	}
}

func drawn(d *draw) bool { return d != nil }

func (c Components) left(m *gmm.Mixture) *gmm.Mixture {
	if !slices.Contains(c.without, true) {
		return m
	}
	return m.Without(c.without)
}

func (c Components) settled(k int) bool { return c.without[k] || c.draws[k] != nil }

// any reports whether rows share in a component that is to be left out.
func (c Components) any(shares []privacy.Shares) bool {
	for k, out := range c.without {
		if out && shares[k].Rows > 0 {
			return true
		}
	}
	return false
}

// spare reports whether the rows of component k can count for another one.
func (c Components) spare(k int, m *gmm.Mixture) bool {
	for i, w := range m.Weights() {
		if i != k && !c.settled(i) && w > 0 {
			return true
		}
	}
	return false
}

// leastDiverse returns the least diverse live component that is below the rule and not settled; −1
// if there is none.
func leastDiverse(shares []privacy.Shares, rule privacy.Rule, settled func(k int) bool) int {
	at := -1
	for k, s := range shares {
		if !settled(k) && s.Live() && rule.Below(s) && (at < 0 || s.Nats < shares[at].Nats) {
			at = k
		}
	}
	return at
}
