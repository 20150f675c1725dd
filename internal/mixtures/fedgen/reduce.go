package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// reduction is a mixture in which two components are repeatedly replaced by one with their weight,
// mean and covariance. It always takes the pair that costs least by Runnalls (2007); ties go to
// the first pair, so all members get the same result. The sum of the costs bounds the
// Kullback-Leibler divergence of the mixture from the result, in nats. Components without weight
// have been merged.
//
// For K components it takes about K² covariance factorisations and K²/2 values of memory.
type reduction struct {
	Moments
	logDet []float64   // ln|C_k|
	costs  [][]float64 // costs[i][j−i−1] is the cost of merging i with a later j; +Inf if one is gone
	next   []int       // index in costs of each component's cheapest partner
	left   int
}

// withoutCosts returns a reduction of m with no costs computed yet.
func withoutCosts(m Moments) (*reduction, error) {
	n := len(m.Weights)
	r := &reduction{Moments: Moments{
		Form:        m.Form,
		Weights:     append([]float64(nil), m.Weights...),
		Means:       append([][]float64(nil), m.Means...),
		Covariances: append([][]float64(nil), m.Covariances...),
	}, logDet: make([]float64, n)}
	for k, w := range m.Weights {
		if w > 0 {
			r.left++
		}
		var ok bool
		if r.logDet[k], ok = logDet(m.Form, m.Covariances[k], m.Dim()); !ok {
			return nil, errSingular(k)
		}
	}
	return r, nil
}

func newReduction(m Moments) (*reduction, error) {
	r, err := withoutCosts(m)
	if err != nil {
		return nil, err
	}
	n := len(m.Weights)
	r.costs, r.next = make([][]float64, n), make([]int, n)
	parallel.For(n, func(i int) {
		room := make([]float64, len(m.Covariances[i]))
		r.costs[i] = make([]float64, n-i-1)
		for at := range r.costs[i] {
			r.costs[i][at] = r.price(i, i+1+at, room)
		}
		r.search(i)
	})
	return r, nil
}

func (r *reduction) search(i int) {
	least := math.Inf(1)
	for at, cost := range r.costs[i] {
		if cost < least {
			least, r.next[i] = cost, at
		}
	}
}

func (r *reduction) cheapest(i int) float64 {
	if len(r.costs[i]) == 0 {
		return math.Inf(1)
	}
	return r.costs[i][r.next[i]]
}

// price returns Runnalls' cost of merging i and j; room holds a covariance matrix:
//
//	½ [(w_i + w_j) ln|C_ij| − w_i ln|C_i| − w_j ln|C_j|]
//	C_ij = s_i C_i + s_j C_j + s_i s_j (μ_i − μ_j)(μ_i − μ_j)ᵀ with s_i = w_i/(w_i + w_j)
func (r *reduction) price(i, j int, room []float64) float64 {
	if r.Weights[i] == 0 || r.Weights[j] == 0 {
		return math.Inf(1)
	}
	weight := r.Weights[i] + r.Weights[j]
	si, sj := r.Weights[i]/weight, r.Weights[j]/weight
	ci, cj, mi, mj, dim := r.Covariances[i], r.Covariances[j], r.Means[i], r.Means[j], r.Dim()
	both := float64(si * sj)
	for a := range dim {
		d := float64(both * (mi[a] - mj[a]))
		if r.Form != gmm.Full {
			room[a] = float64(si*ci[a]) + float64(sj*cj[a]) + float64(d*(mi[a]-mj[a]))
			continue
		}
		for at := a*dim + a; at < (a+1)*dim; at++ {
			b := at - a*dim
			room[at] = float64(si*ci[at]) + float64(sj*cj[at]) + float64(d*(mi[b]-mj[b]))
		}
	}
	if r.Form == gmm.Spherical {
		level(room)
	}
	det, ok := logDet(r.Form, room, dim)
	if !ok { // so far apart that their joint covariance is nearly singular
		return math.Inf(1)
	}
	return 0.5 * (float64(weight*det) - float64(r.Weights[i]*r.logDet[i]) - float64(r.Weights[j]*r.logDet[j]))
}

func (r *reduction) step() error {
	to := 0
	for i := range r.next {
		if r.cheapest(i) < r.cheapest(to) {
			to = i
		}
	}
	if math.IsInf(r.cheapest(to), 1) {
		return fmt.Errorf("the remaining %d components are too far apart to be merged: scale the columns or raise the regularisation", r.left)
	}
	gone := to + 1 + r.next[to]
	r.join(to, gone)
	parallel.For(len(r.next), func(i int) { r.renew(i, to, gone) })
	return nil
}

// join merges component gone into component to. Their price must be finite.
func (r *reduction) join(to, gone int) {
	r.Weights[to], r.Means[to], r.Covariances[to] = r.average(to, gone)
	r.logDet[to], _ = logDet(r.Form, r.Covariances[to], r.Dim())
	r.Weights[gone] = 0
	r.left--
}

// renew updates the costs of i with later components after component changed has changed and a
// later one is gone.
func (r *reduction) renew(i, changed, gone int) {
	if i > gone || r.Weights[i] == 0 && i != gone {
		return
	}
	costs, room := r.costs[i], make([]float64, len(r.Covariances[i]))
	switch {
	case i == changed || i == gone:
		for at := range costs {
			costs[at] = r.price(i, i+1+at, room)
		}
		r.search(i)
	case i < changed:
		costs[gone-i-1] = math.Inf(1)
		at := changed - i - 1
		costs[at] = r.price(i, changed, room)
		if best := r.next[i]; best == at || best == gone-i-1 {
			r.search(i)
		} else if costs[at] < costs[best] || costs[at] == costs[best] && at < best {
			r.next[i] = at
		}
	default:
		costs[gone-i-1] = math.Inf(1)
		if r.next[i] == gone-i-1 {
			r.search(i)
		}
	}
}

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

// logDet returns ln|C|.
func logDet(form gmm.Covariance, c []float64, dim int) (float64, bool) {
	if form != gmm.Full {
		return portable.LogProduct(c), true
	}
	root, ok := lapack.FactoriseRows(c, dim)
	if !ok {
		return 0, false
	}
	return root.LogDet(), true
}

// reductions returns the reduced mixtures for each number of components in a range, from the
// largest down.
func (m Moments) reductions(k Range) (left []Moments, err error) {
	r, err := newReduction(m)
	if err != nil {
		return nil, err
	}
	for {
		if r.left <= k.Max {
			left = append(left, r.moments())
		}
		if r.left <= k.Min {
			return left, nil
		}
		if err := r.step(); err != nil {
			return nil, err
		}
	}
}
