package oneshot

import (
	"context"
	"math/rand/v2"

	"github.com/collabdict/collabdict/cmd/paper/internal/study"
	"github.com/collabdict/collabdict/internal/partition"
)

// set is one of the tables that mixtures are learned of.
type set struct {
	name    string
	needs   []string
	k       int // components, Table 3
	clients int
	kind    partition.Kind
	// levels of heterogeneity: concentrations of a Dirichlet split, or classes of each
	// participant in a Quantity split. fixed is the one where something else varies.
	levels []float64
	fixed  float64
	// growing sets have rows enough for hundreds of participants.
	growing bool
	// published are the rounds of the three starts in Table 4, of the set that the paper
	// has in this place.
	published [3]float64
	of        string
	// far is how far below all rows in one place charts of likelihoods go, in nats.
	far  float64
	load func(ctx context.Context, l *study.Lab) (draw, error)
}

// scheme names the split.
func (s *set) scheme() string {
	if s.kind == partition.Dirichlet {
		return "dirichlet"
	}
	return "quantity"
}

// draw divides the rows of a set at random.
type draw func(random *rand.Rand) sample

// sets are the public ones of the paper, and one in the place of the vehicles of its
// authors: engines of a fleet, whose faults grow, in about as many rows and columns.
// The concentrations are those that the paper's text names; its figures alone have more.
var sets = []set{
	{
		name: "MNIST", needs: mnistFiles, k: 30, clients: 20, kind: partition.Dirichlet, levels: dirichlet, fixed: 0.2,
		published: [3]float64{33, 41, 38}, of: "MNIST", far: 2, load: loadMNIST,
	},
	{
		name: "Covertype", needs: []string{covertypeFile}, k: 15, clients: 20, kind: partition.Dirichlet, levels: dirichlet, fixed: 0.2,
		growing: true, published: [3]float64{21, 7, 40}, of: "Covertype", far: 1, load: loadCovertype,
	},
	{
		name: "SMD", needs: smdFiles(), k: 10, clients: 20, kind: partition.Dirichlet, levels: dirichlet, fixed: 0.2,
		growing: true, published: [3]float64{36, 12, 30}, of: "SMD", far: 12, load: loadSMD,
	},
	{
		name: "C-MAPSS", needs: []string{cmapssFile}, k: 15, clients: 12, kind: partition.Quantity, levels: []float64{1, 2, 3}, fixed: 1,
		published: [3]float64{29, 3, 18}, of: "VEHICLE", far: 2, load: loadCMAPSS,
	},
}

var dirichlet = []float64{0.1, 0.2, 0.3, 0.5}

// sizes are how many rows are for training, and how many are normal and anomalies of
// those that are scored.
type sizes struct{ train, normal, anomalies int }

// of returns the sizes for an experiment: for a quick one, a tenth of what is large.
func (s sizes) of(l *study.Lab) sizes {
	if !l.Quick || s.train < 10000 {
		return s
	}
	return sizes{s.train / 10, s.normal / 10, s.anomalies / 10}
}
