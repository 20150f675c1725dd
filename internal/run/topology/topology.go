package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// Kinds that are no graphs: schedules of finitely many exact rounds.
const (
	FoldIn    = "fold-in"
	BaseK     = "base-k"
	Circulant = "circulant"
)

// Kinds lists all kinds, the default first.
func Kinds() []string {
	var kinds []string
	for _, k := range graph.Kinds() {
		kinds = append(kinds, string(k))
	}
	return append(kinds, BaseK, FoldIn, Circulant)
}

// A Spec names a topology.
type Spec struct {
	Kind   string
	Size   int
	Degree int // for BaseK and FoldIn, the members heard per round; 0 means the default of sums
	// Step and Tolerance apply to graphs only. Tolerance is the disagreement ‖x-x̄‖₂ to reach,
	// relative to the initial one.
	Step      session.Step
	Tolerance float64
}

// Topology is a topology with what follows from it. Fields of the report that it
// has no value for are zero.
type Topology struct {
	Report
	plan session.Plan
}

// Report is what the command graph prints. Names are a contract.
type Report struct {
	Kind       string  `json:"kind"`                 // the topology; a small graph is complete
	Size       int     `json:"size"`                 // members
	Vertices   int     `json:"vertices,omitempty"`   // those of the graph, if there are more than members
	Degree     int     `json:"degree,omitempty"`     // neighbours per member, or members heard per step
	Diameter   int     `json:"diameter,omitempty"`   // the largest distance between two members
	Lambda2    float64 `json:"lambda2,omitempty"`    // the smallest eigenvalue of the Laplacian above 0
	LambdaMax  float64 `json:"lambda_max,omitempty"` // the largest eigenvalue of the Laplacian
	Scheme     string  `json:"scheme"`               // laplacian, exact or base-k
	Step       string  `json:"step,omitempty"`       // the rule of the steps
	Tolerance  float64 `json:"tolerance,omitempty"`  // the disagreement to reach, relative to the initial one
	Iterations int     `json:"iterations_predicted"` // steps until the tolerance is reached, or of the schedule
	*Run
}

// Describe builds a topology. Its errors are about the spec.
func Describe(s Spec) (*Topology, error) {
	if kinds := Kinds(); !slices.Contains(kinds, s.Kind) {
		last := len(kinds) - 1
		return nil, fmt.Errorf("kind: want %s or %s, got %q", strings.Join(kinds[:last], ", "), kinds[last], s.Kind)
	}
	if s.Size < 2 {
		return nil, fmt.Errorf("size: want at least 2 members, got %d", s.Size)
	}
	switch s.Kind {
	case FoldIn, BaseK, Circulant:
		return describeExact(s)
	}
	return describeGraph(s)
}

func describeExact(s Spec) (t *Topology, err error) {
	if s.Kind != Circulant && s.Degree == 0 {
		s.Degree = consensus.DefaultSettings().Fan
	}
	t = &Topology{Report: Report{Kind: s.Kind, Size: s.Size, Degree: s.Degree, Scheme: "exact"}}
	switch s.Kind {
	case FoldIn:
		t.plan, err = session.NewFoldIn(s.Size, s.Degree, chunking.Ring)
	case BaseK:
		t.Scheme = BaseK
		t.plan, err = session.NewBaseK(s.Size, s.Degree)
	default:
		t.plan, err = session.NewCirculant(s.Size, chunking.Ring)
	}
	if err != nil {
		return nil, err
	}
	t.Iterations = t.plan.Rounds()
	return t, nil
}

func describeGraph(s Spec) (*Topology, error) {
	if s.Degree == 0 {
		s.Degree = consensus.DefaultSettings().Degree
	}
	plan, err := session.NewLaplacian(s.Size, s.Step, graph.Kind(s.Kind), s.Degree, s.Tolerance)
	if err != nil {
		return nil, err
	}
	g := plan.Graph()
	spectrum, err := g.Spectrum()
	if err != nil {
		return nil, err
	}
	r := Report{
		Kind: string(g.Kind), Size: s.Size, Degree: g.Degree(), Diameter: g.Diameter(),
		Lambda2: spectrum.Lambda2, LambdaMax: spectrum.LambdaMax,
		Scheme: "laplacian", Step: string(s.Step), Tolerance: s.Tolerance, Iterations: plan.Rounds(),
	}
	if g.Len() > s.Size {
		r.Vertices = g.Len()
	}
	return &Topology{Report: r, plan: plan}, nil
}
