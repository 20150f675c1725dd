package oneshot

import (
	"context"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// set is one of the tables from which mixtures are learned.
type set struct {
	name    string
	needs   []string
	k       int // components, Table 3
	clients int
	kind    partition.Kind
	// levels of heterogeneity are concentrations of a Dirichlet split, or classes per
	// participant in a Quantity split. Fixed is the level used where something else varies.
	levels []float64
	fixed  float64
	// growing is set if the rows suffice for hundreds of participants.
	growing bool
	// published are the numbers of rounds of the three starts in Table 4, for the set that the
	// paper has in this place.
	published [3]float64
	of        string
	// far is the lower end of charts of likelihoods, in nats below all rows in one place.
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

// sets are the public sets of the paper. The vehicles of its authors are replaced by engines of
// a fleet, whose faults grow, with about as many rows and columns. The concentrations are those
// in the paper's text; its figures have more.
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

// sizes are the numbers of training rows, and of normal rows and anomalies to score.
type sizes struct{ train, normal, anomalies int }

// of returns the sizes for an experiment; in a quick one, large sizes are divided by ten.
func (s sizes) of(l *study.Lab) sizes {
	if !l.Quick || s.train < 10000 {
		return s
	}
	return sizes{s.train / 10, s.normal / 10, s.anomalies / 10}
}
