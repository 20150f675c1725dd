package consensus

import (
	"fmt"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// Settings are the choices that all members of a run share.
type Settings struct {
	Step      StepRule
	Graph     graph.Kind
	Degree    int     // of the graph, where its kind leaves a choice; 0 means 4
	Tolerance float64 // of an average, relative to the initial disagreement of unmasked vectors; 0 means 1e-9
	Protect   chunking.Mode
	Chunks    int // C, the home chunk included; 0 means the default of chunking.Fanout
}

// Params describes one member's machine.
type Params struct {
	Settings
	Self    int      // this member's rank
	Members []string // the view's names in rank order
	// Run separates this run from all others: it enters every hash and every
	// derived key.
	Run [32]byte
	// Plan is what the settings come to, for machines that share one; nil means
	// that it is worked out.
	Plan *Plan
	// Beat is the time between two Beats; 0 means 1 s.
	Beat time.Duration
	// Lost is how long a member may be silent before it counts as lost; 0 means
	// 20 s. A slow member beats and is waited for.
	Lost time.Duration
}

func (p Params) withDefaults() Params {
	if p.Degree == 0 {
		p.Degree = 4
	}
	if p.Tolerance == 0 {
		p.Tolerance = 1e-9
	}
	if p.Beat == 0 {
		p.Beat = time.Second
	}
	if p.Lost == 0 {
		p.Lost = 20 * time.Second
	}
	return p
}

// minTolerance is below what float64 can tell anyway.
const minTolerance = 1e-15

// Validate reports the first setting that no run can have, with the size of the
// view it is meant for.
func (s Settings) Validate(size int) error {
	switch {
	case size < 2:
		return fmt.Errorf("members: want at least 2, got %d", size)
	case s.Protect == chunking.Chunks && size < 3:
		return fmt.Errorf("members: want at least 3 with protection %q, got %d: of two, each learns the other's vector from the total; add a member or choose protection %q", s.Protect, size, chunking.None)
	case s.Protect != chunking.Chunks && s.Protect != chunking.None:
		return fmt.Errorf("protection: want %q or %q, got %q", chunking.Chunks, chunking.None, s.Protect)
	case s.Step != Chebyshev && s.Step != Optimal && s.Step != Paper:
		return fmt.Errorf("step: want %q, %q or %q, got %q", Chebyshev, Optimal, Paper, s.Step)
	case s.Degree < 0 || s.Degree == 1:
		return fmt.Errorf("degree: want 0 for the default or at least 2, got %d", s.Degree)
	case s.Tolerance != 0 && !(s.Tolerance >= minTolerance && s.Tolerance < 1):
		return fmt.Errorf("tolerance: want 0 for the default or a value from %g to below 1, got %g", minTolerance, s.Tolerance)
	case s.Chunks < 0 || s.Chunks == 1 || s.Chunks > chunking.MaxFanout+1:
		return fmt.Errorf("chunks: want 0 for the default or 2 to %d, got %d", chunking.MaxFanout+1, s.Chunks)
	}
	g, err := graph.New(s.Graph, size, Params{Settings: s}.withDefaults().Degree)
	if err == nil && (g.Kind == graph.Margulis || g.Len() != size) {
		err = fmt.Errorf("graph: sums know neither weights of edges nor more vertices than members yet, which %s has with %d members; choose %s", g.Kind, size, graph.HamiltonCycles)
	}
	return err
}
