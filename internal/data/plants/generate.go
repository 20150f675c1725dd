package plants

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// Generate returns the plants of spec: spec.Participants plants with spec.Rows training rows
// each (the last with spec.Ample if set), of spec.Columns sensors, under spec.Patterns
// operating patterns in all. Train has no faults. Test has labels: 1 marks a row with a fault.
// The same spec and seed give the same values. Generate panics on a spec that [ParseSpec] would
// refuse.
func Generate(spec Spec, seed uint64) []dataset.Participant {
	spec.check()
	random := rand.New(rand.NewPCG(seed, 0))
	patterns := make([]pattern, spec.Patterns)
	for k := range patterns {
		patterns[k] = newPattern(spec.Columns, random)
	}
	weights := mixing(spec.Participants, spec.Patterns, random)
	sensors := newSensors(spec.Columns)
	names := plantNames(spec.Participants)
	all := make([]dataset.Participant, spec.Participants)
	for s := range all {
		p := plant{patterns: patterns, weights: weights[s], random: random}
		train := p.rows(spec.trainRows(s), spec.Columns, nil)
		all[s] = dataset.Participant{
			Name:        names[s],
			Columns:     sensors.names,
			TrainLabels: make([]float64, spec.trainRows(s)),
			TestLabels:  make([]float64, spec.testRows()),
		}
		faults := plan(spec.testRows(), spec.Columns, random)
		p.weights = later(p.weights)
		test := p.rows(spec.testRows(), spec.Columns, faults)
		for _, f := range faults {
			for i := f.from; i < f.to; i++ {
				all[s].TestLabels[i] = 1
			}
		}
		sensors.units(train)
		sensors.units(test)
		all[s].Train, all[s].Test = rows.InMemory(train), rows.InMemory(test)
	}
	return all
}

// A plant is the distribution of one plant's rows.
type plant struct {
	patterns []pattern
	weights  []float64
	random   *rand.Rand
}

func (p *plant) rows(n, columns int, faults []fault) *mat.Dense {
	x := mat.NewDense(n, columns, nil)
	for i := range n {
		row := x.RawRowView(i)
		now := &p.patterns[pick(p.weights, p.random)]
		now.draw(row, p.random)
		if len(faults) > 0 && i >= faults[0].from {
			faults[0].spoil(row, i, now, p.random)
			if i+1 == faults[0].to {
				faults = faults[1:]
			}
		}
	}
	return x
}

// sensors describes what the columns measure.
type sensors struct {
	names       []string
	zero, scale []float64
}

// kinds holds names and typical values of sensors: centre and variation.
var kinds = []struct {
	name        string
	zero, scale float64
}{
	{"temp", 68, 4},
	{"flow", 12.5, 0.8},
	{"pressure", 5.2, 0.3},
	{"power", 240, 18},
	{"vibration", 2.4, 0.15},
	{"speed", 1480, 25},
	{"level", 55, 6},
	{"current", 31, 2.2},
}

func newSensors(columns int) sensors {
	var s sensors
	for j := range columns {
		k := kinds[j%len(kinds)]
		s.names = append(s.names, fmt.Sprintf("%s_%d", k.name, j+1))
		s.zero, s.scale = append(s.zero, k.zero), append(s.scale, k.scale)
	}
	return s
}

// units gives values their physical scale, rounded to the four decimals of a data logger, so
// that a file holds them exactly.
func (s *sensors) units(x *mat.Dense) {
	x.Apply(func(_, j int, v float64) float64 {
		return math.Round((s.zero[j]+s.scale[j]*v)*1e4) / 1e4
	}, x)
}

// plantNames returns plant-a to plant-z, or numbers if there are more, in sorted order.
func plantNames(n int) []string {
	names := make([]string, n)
	for s := range names {
		if n <= 26 {
			names[s] = "plant-" + string(rune('a'+s))
		} else {
			names[s] = dataset.NumberedName(s, n)
		}
	}
	return names
}

// WriteCSV writes a file per plant into dir, named after the plant, and returns the paths.
// After the sensors come the columns label and split (train or test), so that --label label
// --where split=train --test-where split=test reads the same data. It replaces existing files.
func WriteCSV(dir string, all []dataset.Participant) ([]string, error) {
	paths := make([]string, len(all))
	for i, p := range all {
		paths[i] = filepath.Join(dir, p.Name+".csv")
		if _, err := dataset.Write(paths[i], p); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
