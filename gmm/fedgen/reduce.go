package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/portable"
	"github.com/collabdict/collabdict/internal/parallel"
)

// Reduce replaces two components by one with their weight, mean and covariance until
// k are left: always the pair that costs least by Runnalls (2007). It returns what is
// left and the sum of the costs, which bounds the Kullback-Leibler divergence of m from
// it, in nats. Ties go to the first pair, so that all members come to the same.
//
// It takes O(K²) covariance factorisations at first and about K a step.
func (m Moments) Reduce(k int) (Moments, float64, error) {
	r, err := newReduction(m)
	if err != nil {
		return Moments{}, 0, err
	}
	for r.left > k {
		if err := r.step(); err != nil {
			return Moments{}, 0, err
		}
	}
	return r.moments(), r.cost, nil
}

// reduction is a mixture on its way. Components without weight are gone.
type reduction struct {
	Moments
	logDet []float64 // ln|C_k|
	next   []pair    // per component the cheapest partner after it
	left   int
	cost   float64
}

// pair is a partner and the cost of merging with it, +Inf if there is none.
type pair struct {
	with int
	cost float64
}

func newReduction(m Moments) (*reduction, error) {
	r := &reduction{Moments: Moments{
		Form:        m.Form,
		Weights:     append([]float64(nil), m.Weights...),
		Means:       append([][]float64(nil), m.Means...),
		Covariances: append([][]float64(nil), m.Covariances...),
	}, logDet: make([]float64, len(m.Weights)), next: make([]pair, len(m.Weights))}
	for k, w := range m.Weights {
		if w > 0 {
			r.left++
		}
		var ok bool
		if r.logDet[k], ok = logDet(m.Form, m.Covariances[k], m.Dim()); !ok {
			return nil, errSingular(k)
		}
	}
	parallel.For(len(m.Weights), r.search)
	return r, nil
}

// search finds the cheapest partner after i.
func (r *reduction) search(i int) {
	r.next[i] = pair{-1, math.Inf(1)}
	if r.Weights[i] == 0 {
		return
	}
	for j := i + 1; j < len(r.Weights); j++ {
		if r.Weights[j] == 0 {
			continue
		}
		if cost := r.price(i, j); cost < r.next[i].cost {
			r.next[i] = pair{j, cost}
		}
	}
}

// price is Runnalls' cost of merging i and j:
//
//	½ [(w_i + w_j) ln|C_ij| − w_i ln|C_i| − w_j ln|C_j|]
func (r *reduction) price(i, j int) float64 {
	weight, _, covariance := r.average(i, j)
	det, ok := logDet(r.Form, covariance, r.Dim())
	if !ok { // so far apart that their covariance is all but singular
		return math.Inf(1)
	}
	return 0.5 * (float64(weight*det) - float64(r.Weights[i]*r.logDet[i]) - float64(r.Weights[j]*r.logDet[j]))
}

// step merges the cheapest pair into its first component.
func (r *reduction) step() error {
	at := 0
	for i, p := range r.next {
		if p.cost < r.next[at].cost {
			at = i
		}
	}
	if math.IsInf(r.next[at].cost, 1) {
		return fmt.Errorf("the %d components that are left are too far apart to be merged: scale the columns or raise the regularisation", r.left)
	}
	gone := r.next[at].with
	r.cost += r.next[at].cost
	r.Weights[at], r.Means[at], r.Covariances[at] = r.average(at, gone)
	r.logDet[at], _ = logDet(r.Form, r.Covariances[at], r.Dim())
	r.Weights[gone] = 0
	r.left--
	parallel.For(len(r.next), func(i int) {
		switch p := r.next[i]; {
		case i == at || i == gone || p.with == at || p.with == gone:
			r.search(i)
		case i < at && r.Weights[i] > 0:
			if cost := r.price(i, at); cost < p.cost || cost == p.cost && at < p.with {
				r.next[i] = pair{at, cost}
			}
		}
	})
	return nil
}

// moments returns the components that are left.
func (r *reduction) moments() Moments {
	out := Moments{Form: r.Form}
	for k, w := range r.Weights {
		if w > 0 {
			out.Weights = append(out.Weights, w)
			out.Means = append(out.Means, r.Means[k])
			out.Covariances = append(out.Covariances, r.Covariances[k])
		}
	}
	return out
}

func logDet(form gmm.Covariance, c []float64, dim int) (float64, bool) {
	if form == gmm.Full {
		u, ok := portable.Cholesky(c, dim)
		if !ok {
			return 0, false
		}
		return portable.LogDet(u, dim), true
	}
	sum := 0.0
	for _, v := range c {
		sum += portable.Log(v)
	}
	return sum, true
}

// reduce is Aggregate without synthetic rows. Of a range, the number of components is
// chosen by the least BIC that there can be at worst.
func (r *Result) reduce(merged Moments, k Range) error {
	red, err := newReduction(merged)
	if err != nil {
		return err
	}
	least := math.Inf(1)
	for {
		if red.left <= k.Max {
			m, err := red.moments().Mixture()
			if err != nil {
				return err
			}
			s := Summary{Components: red.left, Divergence: red.cost}
			s.BICData = 2*float64(r.Rows)*red.cost + float64(m.FreeParameters())*portable.Log(float64(r.Rows))
			if s.BICData < least {
				least, r.Mixture, r.Best = s.BICData, m, len(r.Choices)
			}
			r.Choices = append(r.Choices, s)
		}
		if red.left <= k.Min {
			return nil
		}
		if err := red.step(); err != nil {
			return err
		}
	}
}
