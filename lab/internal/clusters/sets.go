package clusters

import (
	"math/rand/v2"
	"sync"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// set describes rows to cluster.
type set struct {
	name    string // name in cells and tables
	classes int
	// factors are the candidates for the factor of [fedgem.Factor] in this study. Published are
	// the candidates of the paper's public code, or nil if it has none.
	factors, published []float64
	// deal draws members with their rows, and returns the true centres if they are known.
	deal func(rng *rand.Rand) ([]client, [][]float64, error)
}

// file is a set of rows in a file of the data folder.
type file struct {
	name, path, label string
	class             func(label float64) float64 // nil if the label is the class
	classes           int
	dealing           dealing
	published         []float64
}

// files are the paper's sets with public rows: images as the means of variational autoencoders,
// and tables. The division and the factors follow the paper's public code. It has no waveforms;
// they are dealt like other tables.
var files = []file{
	{"MNIST", "embeddings/mnist-vae10.csv.gz", "label", nil, 10, dealing{100, 100, 2, 8}, []float64{1e4, 1e5, 1e6}},
	{"Fashion-MNIST", "embeddings/fashion-mnist-vae64.csv.gz", "label", nil, 10, dealing{100, 100, 2, 8}, []float64{1e4, 1e5, 1e6}},
	{"Abalone", "uci/abalone.csv.gz", "Class_Rings", rings, 8, dealing{5, 5, 2, 8}, []float64{5e3, 7e3, 9e3}},
	{"Waveform", "uci/waveform.csv.gz", "label", nil, 3, dealing{5, 5, 2, 3}, nil},
}

// rings groups the numbers of an abalone's rings into eight classes: up to 5, 6, 7, 8, 9, 10,
// 11 or 12, and more.
func rings(n float64) float64 {
	switch {
	case n <= 10:
		return max(n, 5)
	case n <= 12:
		return 11
	}
	return 13
}

// factors range from regions that never overlap to regions that all do.
var factors = []float64{0.1, 0.3, 1, 3, 10, 100}

// set returns the rows of the file, dealt to at most the given number of members. It reads the
// file on first use.
func (f file) set(l *study.Lab, members int) set {
	classes := sync.OnceValues(func() ([][][]float64, error) { return readClasses(l.Path(f.path), f.label, f.class) })
	d := f.dealing
	d.members = min(d.members, members)
	return set{f.name, f.classes, factors, f.published, func(rng *rand.Rand) ([]client, [][]float64, error) {
		rows, err := classes()
		if err != nil {
			return nil, nil, err
		}
		clients, err := deal(rng, rows, d)
		return clients, nil, err
	}}
}

// set returns made-up rows for the given number of members.
func (s synthetic) set(name string, members int) set {
	return set{name, s.clusters, factors, nil, func(rng *rand.Rand) ([]client, [][]float64, error) {
		clients, centres := s.draw(rng, members)
		return clients, centres, nil
	}}
}
