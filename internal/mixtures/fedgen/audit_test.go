package fedgen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
)

// within fails unless an audit shows nearly the ε that the mechanism promises and no more, and an
// audit with half the noise shows more.
func within(t *testing.T, p Privacy, audit, bare *audittest.Audit) {
	t.Helper()
	shown, less := audit.Epsilon(p.Delta), bare.Epsilon(p.Delta)
	t.Logf("at δ = %g, ε is at least %.3f, promised %g; with half the noise, %.3f", p.Delta, shown, p.Epsilon, less)
	if shown > p.Epsilon || shown < 0.5*p.Epsilon {
		t.Errorf("ε is at least %g, promised %g", shown, p.Epsilon)
	}
	if less <= p.Epsilon {
		t.Errorf("half the noise passes: ε is at least %g, promised %g", less, p.Epsilon)
	}
}

// corners returns rows about the origin, without and with one more row at a corner, where it
// changes all sums by the most.
func corners(rows int) (without, with *mat.Dense) {
	with = mat.NewDense(rows+1, 2, nil)
	for i := range rows {
		with.SetRow(i, []float64{float64(i%2*2 - 1), float64(i/2%2*2 - 1)})
	}
	with.SetRow(rows, []float64{1, 1})
	return with.Slice(0, rows, 0, 2).(*mat.Dense), with
}

// copied returns moments that may be changed.
func (m Moments) copied() Moments {
	m.Weights = slices.Clone(m.Weights)
	m.Means, m.Covariances = slices.Clone(m.Means), slices.Clone(m.Covariances)
	for k := range m.Means {
		m.Means[k], m.Covariances[k] = slices.Clone(m.Means[k]), slices.Clone(m.Covariances[k])
	}
	return m
}

// TestAuditOfPrivate audits what is published after one iteration of one component. The sums
// follow from it, except for the rounding of the number of rows.
func TestAuditOfPrivate(t *testing.T) {
	p := Privacy{Epsilon: 1, Delta: 0.1, Low: []float64{-1, -1}, High: []float64{1, 1}, Iterations: 1}
	without, with := corners(40)
	start := unitStart(1, 2, gmm.Diag, [32]byte{})
	draw := func(p Privacy, x *mat.Dense) func(rand.Source) float64 {
		return func(src rand.Source) float64 {
			c, _, err := p.learn(x, start.copied(), src)
			if err != nil {
				t.Fatal(err)
			}
			n, ratio := float64(c.Rows), 0.0
			for i, mean := range c.Moments.Means[0] {
				ratio += (n*mean + n*(c.Moments.Covariances[0][i]+mean*mean)) / 2
			}
			return n + ratio
		}
	}
	half := p
	for half.Epsilon = p.Epsilon; half.Sigma() > p.Sigma()/2; half.Epsilon *= 1.01 {
	}
	within(t, p, audittest.Run(t, draw(p, without), draw(p, with)), audittest.Run(t, draw(half, without), draw(half, with)))
}

// TestAuditOfIterations audits all noisy sums of all iterations with two components, by the
// likelihood ratio. The mixture of an iteration follows from earlier sums, and determines what
// a row changes.
func TestAuditOfIterations(t *testing.T) {
	testkit.LongOnly(t)
	p := Privacy{Epsilon: 1, Delta: 0.1, Low: []float64{-1, -1}, High: []float64{1, 1}, Iterations: 2}
	_, with := corners(4)
	start := unitStart(2, 2, gmm.Diag, [32]byte{1})
	draw := func(sigma float64, rows int) func(rand.Source) float64 {
		return func(src rand.Source) (ratio float64) {
			e := &privateEM{z: p.unit(with), sigma: sigma, noise: src, model: start.copied()}
			exact := &privateEM{z: e.z, sigma: 0x1p-40, noise: rand.NewPCG(1, 1), model: e.model}
			for range p.iterations() {
				m, err := e.model.Mixture()
				if err != nil {
					t.Fatal(err)
				}
				r := m.Responsibilities(e.z)
				of := func(rows int) *mat.Dense { return r.Slice(0, rows, 0, 2).(*mat.Dense) }
				seen := e.sums(of(rows))
				ratio += logRatio(e, seen, exact.sums(of(4)), exact.sums(of(5)))
				e.maximise(seen)
			}
			return ratio
		}
	}
	run := func(sigma float64) *audittest.Audit { return audittest.Run(t, draw(sigma, 4), draw(sigma, 5)) }
	within(t, p, run(p.Sigma()), run(p.Sigma()/2))
}

// logRatio returns the logarithm of the likelihood of noisy sums under b relative to a.
func logRatio(e *privateEM, seen, a, b []noisy) (ratio float64) {
	scale1, scale2 := e.scales()
	add := func(seen, a, b, scale float64) {
		sd := e.sigma * scale
		ratio += ((seen-a)*(seen-a) - (seen-b)*(seen-b)) / (2 * sd * sd)
	}
	for k, s := range seen {
		add(s.n, a[k].n, b[k].n, 1)
		for i := range s.first {
			add(s.first[i], a[k].first[i], b[k].first[i], scale1)
			add(s.second[i], a[k].second[i], b[k].second[i], scale2)
		}
	}
	return ratio
}
