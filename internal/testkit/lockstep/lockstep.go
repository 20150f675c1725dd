// Package lockstep runs a group in one process without a network. A collective returns when all
// members have called it, and sums are plain additions in the order of ranks. Use it for
// experiments and tests about learning. Package netsim covers the cost of a sum, what members
// see, and failures.
//
// Start reading at [Run].
package lockstep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
)

// Run calls f concurrently for every rank of a group of the given size, and returns when all
// calls have returned. It returns the error of the smallest rank that failed by itself. Once
// one call has returned, collectives that wait for it return an error.
func Run(ctx context.Context, size int, f func(ctx context.Context, g collabdict.Group, rank int) error) error {
	h := &hub{slots: make([]any, size), turn: make(chan struct{}), gone: make(chan struct{})}
	errs := make([]error, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			defer h.leave.Do(func() { close(h.gone) })
			errs[rank] = f(ctx, member{hub: h, rank: rank}, rank)
		})
	}
	all.Wait()
	var first error
	for rank, err := range errs {
		switch {
		case err == nil:
		case !errors.Is(err, errGone):
			return fmt.Errorf("member %d: %w", rank, err)
		case first == nil:
			first = fmt.Errorf("member %d: %w", rank, err)
		}
	}
	return first
}

var errGone = errors.New("another member has returned without this collective")

// A hub is the meeting point of the members.
type hub struct {
	mu      sync.Mutex
	arrived int
	slots   []any
	turn    chan struct{} // closed when the present collective is complete
	result  []any         // result of the last complete collective
	gone    chan struct{} // closed when a member has returned
	leave   sync.Once
}

type member struct {
	collabdict.Whole
	*hub
	rank int
}

func (m member) Membership() collabdict.Membership {
	return collabdict.Membership{Size: len(m.slots), Included: true, Steady: true}
}

// meet returns the values v of all members, by rank. The next collective cannot complete before
// all members have taken this result.
func (m member) meet(ctx context.Context, v any) ([]any, error) {
	m.mu.Lock()
	turn := m.turn
	m.slots[m.rank] = v
	if m.arrived++; m.arrived == len(m.slots) {
		m.result = slices.Clone(m.slots)
		m.arrived, m.turn = 0, make(chan struct{})
		close(turn)
	}
	m.mu.Unlock()
	select {
	case <-turn:
		return m.result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.gone:
	}
	// A member that has returned was here, or never comes.
	select {
	case <-turn:
		return m.result, nil
	default:
		return nil, errGone
	}
}

// A summand is a member's input to a sum.
type summand struct {
	x      []float64
	blocks []collabdict.Block
}

// Sum implements collabdict.Group. All members are in every sum. It returns an error if members'
// blocks differ.
func (m member) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	x, blocks := s.Values, s.Blocks
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	all, err := m.meet(ctx, summand{slices.Clone(x), slices.Clone(blocks)})
	if err != nil {
		return nil, err
	}
	total := make([]float64, len(x))
	for rank, v := range all {
		s, ok := v.(summand)
		if !ok || !slices.Equal(s.blocks, blocks) {
			return nil, fmt.Errorf("members %d and %d have not called the same sum", m.rank, rank)
		}
		for i, v := range s.x {
			total[i] += v
		}
	}
	return total, nil
}

// Gather implements collabdict.Group.
func (m member) Gather(ctx context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	all, err := m.meet(ctx, slices.Clone(blob))
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(all))
	for rank, v := range all {
		blob, ok := v.([]byte)
		if !ok {
			return nil, fmt.Errorf("members %d and %d have not called the same collective", m.rank, rank)
		}
		out[rank] = blob
	}
	return out, nil
}
