package gmm

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
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

func newHub(n int) *hub { return &hub{slots: make([]any, n), turn: make(chan struct{})} }

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

// train runs one learner per data set, in lock step, and returns the learners and
// the objectives of the rounds.
func train(t testing.TB, config Config, rounds int, data ...*mat.Dense) ([]*Learner, []float64) {
	t.Helper()
	h := newHub(len(data))
	learners, traces, errs := make([]*Learner, len(data)), make([][]float64, len(data)), make([]error, len(data))
	var wg sync.WaitGroup
	for s, rows := range data {
		l, err := NewLearner(Matrix(rows), config)
		if err != nil {
			t.Fatal(err)
		}
		learners[s] = l
		wg.Go(func() {
			_, errs[s] = collabdict.Train(t.Context(), member{h, s}, l, collabdict.Options{
				Rounds:  rounds,
				OnRound: func(r collabdict.Round) { traces[s] = append(traces[s], r.Objective) },
			})
		})
	}
	wg.Wait()
	for s, err := range errs {
		if err != nil {
			t.Fatalf("participant %d: %v", s, err)
		}
		if !bits(traces[s], traces[0]) {
			t.Fatalf("participants 0 and %d saw other objectives", s)
		}
	}
	return learners, traces[0]
}
