package machines

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// set holds the rows of some participants.
type set struct {
	name  string
	files []string // files in the data folder
	// components is the number of components of the mixture.
	components int
	// common is set if columns are standardised by the moments of all rows instead of each
	// participant's. The command does so by default with rows that are dealt, and not with a
	// file per participant.
	common bool
	load   func(s *set, l *study.Lab) ([]participant, error)

	parts []participant // nil until they are read, in the units of the files
}

// participant holds the rows of one participant.
type participant struct {
	name   string
	train  *mat.Dense
	held   *mat.Dense // every tenth training row, to measure progress
	test   *mat.Dense
	labels []float64 // 1 for anomalies of the test rows
	// units is added to the log density of a row to convert it to the units of together.
	units float64
}

func sets() []*set {
	return []*set{
		{name: "SMD", files: servers(), components: 10, load: loadServers},
		{name: "C-MAPSS", files: []string{"cmapss/fd001.csv.gz"}, components: 5, common: true, load: loadEngines},
	}
}

// servers returns the second group of machines, as far as it is public in this form.
func servers() (files []string) {
	for _, name := range strings.Fields("2-1 2-2 2-3 2-4 2-5 2-7 2-8") {
		files = append(files, "smd/machine-"+name+".csv.gz")
	}
	return files
}

// read reads the rows once.
func (s *set) read(l *study.Lab) error {
	if s.parts != nil {
		return nil
	}
	l.Note("reading %s", s.name)
	parts, err := s.load(s, l)
	if err != nil {
		return err
	}
	for i := range parts {
		p := &parts[i]
		n, _ := p.train.Dims()
		tested, _ := p.test.Dims()
		if n < 10 || tested == 0 {
			return fmt.Errorf("%s: %s: want at least 10 rows to train on and 1 to look for anomalies in, got %d and %d", s.name, p.name, n, tested)
		}
		p.train, p.held = tenths(p.train)
	}
	s.parts = parts
	return nil
}

// tenths returns x without every tenth row, and these rows.
func tenths(x *mat.Dense) (most, rest *mat.Dense) {
	return take(x, func(row int) bool { return row%10 != 9 }), take(x, func(row int) bool { return row%10 == 9 })
}

// take returns the rows for which f is true, an empty matrix if there are none.
func take(x *mat.Dense, f func(row int) bool) *mat.Dense {
	n, width := x.Dims()
	var values []float64
	for i := range n {
		if f(i) {
			values = append(values, x.RawRowView(i)...)
		}
	}
	if len(values) == 0 {
		return new(mat.Dense)
	}
	return mat.NewDense(len(values)/width, width, values)
}

// loadServers gives each machine the normal weeks for training, and the labelled weeks for
// detection.
func loadServers(s *set, l *study.Lab) ([]participant, error) {
	spec := dataset.Spec{
		Label: "label",
		Where: dataset.Condition{Column: "split", Value: "train"}, TestWhere: dataset.Condition{Column: "split", Value: "test"},
	}
	for _, name := range s.files {
		spec.Data = append(spec.Data, l.Path(name))
	}
	every := 1
	if l.Quick {
		spec.Limit, every = 2000, 10
	}
	d, err := dataset.LoadAll(spec)
	if err != nil {
		return nil, err
	}
	var parts []participant
	for _, p := range d.Participants {
		train, err := rows.Dense(p.Train)
		if err != nil {
			return nil, err
		}
		test, err := rows.Dense(p.Test)
		if err != nil {
			return nil, err
		}
		part := participant{name: p.Name, train: train, test: take(test, func(row int) bool { return row%every == 0 })}
		for row := 0; row < len(p.TestLabels); row += every {
			part.labels = append(part.labels, p.TestLabels[row])
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Cycles before an engine's end. Above healthy, an engine is taken to show no wear (Heimes
// 2008). From worn on, its wear should be detected.
const (
	healthy = 125
	worn    = 30
)

// Each participant has a fleet of engines with consecutive numbers. It trains on the first
// engines while they are healthy, and tests on all rows of the others.
const (
	fleet     = 10
	trainedOf = 6
)

// loadEngines returns the sensors with more than two values, for the engines that run to
// failure.
func loadEngines(s *set, l *study.Lab) ([]participant, error) {
	d, err := dataset.LoadOne(dataset.Spec{
		Data: []string{l.Path(s.files[0])}, Label: "label", Where: dataset.Condition{Column: "split", Value: "train"},
		Columns: []string{"engine", "s2", "s3", "s4", "s7", "s8", "s9", "s11", "s12", "s13", "s14", "s15", "s17", "s20", "s21"},
	})
	if err != nil {
		return nil, err
	}
	all, err := rows.Dense(d.Participants[0].Train)
	if err != nil {
		return nil, err
	}
	left := d.Participants[0].TrainLabels
	n, width := all.Dims()
	engine := func(row int) int { return int(all.At(row, 0)) - 1 }
	sensors := all.Slice(0, n, 1, width).(*mat.Dense)
	var parts []participant
	for at := 0; at*fleet <= engine(n-1); at++ {
		p := participant{name: fmt.Sprintf("engines %d-%d", at*fleet+1, (at+1)*fleet)}
		p.train = take(sensors, func(row int) bool {
			return engine(row)/fleet == at && engine(row)%fleet < trainedOf && left[row] > healthy
		})
		p.test = take(sensors, func(row int) bool {
			found := engine(row)/fleet == at && engine(row)%fleet >= trainedOf
			if found {
				p.labels = append(p.labels, map[bool]float64{true: 1}[left[row] <= worn])
			}
			return found
		})
		parts = append(parts, p)
	}
	return parts, nil
}
