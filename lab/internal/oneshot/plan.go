package oneshot

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// plan describes a cell: a deal of the rows of a repeat, and the methods that learn.
type plan struct {
	set     *set
	level   float64
	clients int
	each    int // components per participant; 0 for all rows in one place
	k       int // components of the final mixture
	repeat  int
	methods []string
	// onward continues with rounds of sums after they would stop, see [trial.enough].
	onward bool
}

const (
	pooled    = "pooled"
	local     = "local"
	synthetic = "FedGenGMM"
	reduced   = "FedGenGMM, reduced start"
	spread    = "DEM init 1"
	shared    = "DEM init 2"
	federated = "DEM init 3"
)

var methods = []string{synthetic, reduced, spread, shared, federated, local}

// plans returns all cells of a set in a repeat.
func (r *runner) plans(s *set, repeat int) []plan {
	all := []plan{r.pooled(s, s.k, repeat), r.pooled(s, large, repeat)}
	for _, level := range r.levels(s) {
		all = append(all, r.dealt(s, level, repeat))
	}
	for _, clients := range r.crowds(s) {
		all = append(all, r.crowd(s, clients, repeat))
	}
	for _, k := range r.small() {
		all = append(all, r.smaller(s, k, repeat))
	}
	return all
}

func (p plan) key() string {
	if p.each == 0 {
		return fmt.Sprintf("%s pooled components=%d repeat=%d", p.set.name, p.k, p.repeat+1)
	}
	return fmt.Sprintf("%s %s=%g clients=%d local=%d components=%d repeat=%d", p.set.name, p.set.scheme(), p.level, p.clients, p.each, p.k, p.repeat+1)
}

// pooled returns the cell with all rows in one place.
func (r *runner) pooled(s *set, k, repeat int) plan {
	return plan{set: s, k: k, repeat: repeat, methods: []string{pooled}}
}

// dealt returns a cell of Figs. 2 and 3, and of Table 4.
func (r *runner) dealt(s *set, level float64, repeat int) plan {
	return plan{s, level, s.clients, s.k, s.k, repeat, methods, true}
}

func (r *runner) levels(s *set) []float64 {
	if r.Quick {
		return s.levels[:2]
	}
	return s.levels
}

// crowd returns a cell of Fig. 4; the cell with the set's own number of participants exists
// already.
func (r *runner) crowd(s *set, clients, repeat int) plan {
	if clients == s.clients {
		return r.dealt(s, s.fixed, repeat)
	}
	return plan{s, s.fixed, clients, s.k, s.k, repeat, methods, false}
}

// crowds returns the numbers of participants of a growing set: 20 to 320 in the paper.
func (r *runner) crowds(s *set) (ns []int) {
	doublings := 5
	switch {
	case !s.growing:
		doublings = 0
	case r.Quick:
		doublings = 2
	}
	for i := range doublings {
		ns = append(ns, s.clients<<i)
	}
	return ns
}

// large is the number of components of the shared mixture of Fig. 5.
const large = 20

// smaller returns a cell of Fig. 5, with k components per participant. The shared mixture of
// one round has more.
func (r *runner) smaller(s *set, k, repeat int) plan {
	return plan{s, s.fixed, s.clients, k, large, repeat, []string{synthetic, reduced, federated}, false}
}

func (r *runner) small() []int {
	if r.Quick {
		return []int{5, 20}
	}
	return []int{2, 5, 10, 15, 20}
}

// cell returns the outcomes of a plan by method.
func (r *runner) cell(p plan) (map[string]Outcome, error) {
	return study.Cell(r.ctx, r.Lab, p.key(), func(ctx context.Context) (map[string]Outcome, error) {
		rows, err := r.sample(p.set, p.repeat)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(p, rows)
		if err != nil {
			return nil, err
		}
		if p.onward {
			if err := r.target(t); err != nil {
				return nil, err
			}
		}
		return t.outcomes(ctx)
	})
}
