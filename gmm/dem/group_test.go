package dem_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
)

// hub is an exact group in process: a collective returns when all have called it.
type hub struct {
	mu      sync.Mutex
	arrived int
	slots   []any
	turn    chan struct{} // closed when the collective is complete
	result  []any
}

type member struct {
	*hub
	index int
}

func (m member) Size() int { return len(m.slots) }

func (m member) meet(v any) []any {
	m.mu.Lock()
	turn := m.turn
	m.slots[m.index] = v
	if m.arrived++; m.arrived == len(m.slots) {
		m.result = append([]any(nil), m.slots...)
		m.arrived, m.turn = 0, make(chan struct{})
		close(turn)
	}
	m.mu.Unlock()
	<-turn
	return m.result
}

func (m member) Sum(_ context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		panic(fmt.Sprintf("member %d: %v", m.index, err))
	}
	total := make([]float64, len(x))
	for i, v := range m.meet([2]any{append([]float64(nil), x...), fmt.Sprint(blocks)}) {
		p := v.([2]any)
		if p[1] != fmt.Sprint(blocks) {
			panic(fmt.Sprintf("members %d and %d have other blocks", m.index, i))
		}
		floats.Add(total, p[0].([]float64))
	}
	return total, nil
}

func (m member) Gather(_ context.Context, blob []byte) (out [][]byte, err error) {
	for _, v := range m.meet(blob) {
		out = append(out, v.([]byte))
	}
	return out, nil
}

// together calls f for every member of a group of n, in lock step.
func together(t testing.TB, n int, f func(g collabdict.Group, s int) error) {
	t.Helper()
	h := &hub{slots: make([]any, n), turn: make(chan struct{})}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for s := range n {
		wg.Go(func() { errs[s] = f(member{h, s}, s) })
	}
	wg.Wait()
	for s, err := range errs {
		if err != nil {
			t.Fatalf("member %d: %v", s, err)
		}
	}
}

// rows draws n rows from four clusters in three columns; which of them dominates
// depends on the participant.
func rows(n int, participant uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(participant, 2))
	x := mat.NewDense(n, 3, nil)
	for j := range n {
		c := rng.IntN(4)
		if rng.IntN(3) > 0 {
			c = int(participant) % 4
		}
		common := rng.NormFloat64()
		for i := range 3 {
			x.Set(j, i, 4*math.Cos(float64(5*c+3*i))+0.3*common+(0.5+0.1*float64(c))*rng.NormFloat64())
		}
	}
	return x
}

func stack(parts []*mat.Dense) *mat.Dense {
	all := parts[0]
	for _, x := range parts[1:] {
		var next mat.Dense
		next.Stack(all, x)
		all = &next
	}
	return all
}

func meanLogLik(t testing.TB, m *gmm.Mixture, x *mat.Dense) float64 {
	t.Helper()
	v, err := m.MeanLogLik(gmm.Matrix(x))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// flat lists all parameters of a mixture.
func flat(m *gmm.Mixture) []float64 {
	out := append(m.Weights(), m.Means().RawMatrix().Data...)
	for k := range m.Components() {
		out = append(out, mat.DenseCopyOf(m.Precision(k)).RawMatrix().Data...)
	}
	return out
}

// near fails unless |got − want| is at most tol·max(1, |want|).
func near(t rapid.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g within %g", what, got, want, tol)
	}
}

var forms = []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical}
