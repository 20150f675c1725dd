package oneshot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/lab/internal/ood"
	"github.com/collabdict/collabdict/lab/internal/study"
)

const (
	covertypeFile = "covertype/covertype.csv.gz"
	cmapssFile    = "cmapss/fd001.csv.gz"
)

// loadCovertype returns the ten columns that are not binary. They are scaled by the ranges of
// all rows before any are drawn. Anomalies are rows with noise.
func loadCovertype(_ context.Context, l *study.Lab) (draw, error) {
	d, err := dataset.LoadOne(dataset.Spec{
		Data: []string{l.Path(covertypeFile)}, Label: "label",
		Columns: []string{
			"Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology",
			"Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm", "Horizontal_Distance_To_Fire_Points",
		},
	})
	if err != nil {
		return nil, err
	}
	x, err := unitRows(d.Participants[0].Train)
	if err != nil {
		return nil, err
	}
	classes := d.Participants[0].TrainLabels
	size := sizes{80000, 18000, 2000}.of(l)
	return func(random *rand.Rand) sample {
		n, _ := x.Dims()
		order := random.Perm(n)
		train, rest := order[:size.train], order[size.train:]
		noisy := ood.Noise(rows.Picked(x, rest[size.normal:size.normal+size.anomalies]), 0.005, random)
		return sample{train: rows.Picked(x, train), classes: takeClasses(classes, train)}.with(rows.Picked(x, rest[:size.normal]), noisy)
	}, nil
}

func unitRows(of collabdict.Rows) (*mat.Dense, error) {
	x, err := rows.Dense(of)
	if err != nil {
		return nil, err
	}
	unit, err := toUnit(x)
	if err != nil {
		return nil, err
	}
	return unit.Apply(x), nil
}

// early is the number of cycles before its end from which an engine counts as worn (after
// Heimes 2008, who found that earlier wear cannot be seen).
const early = 125

// loadCMAPSS returns the sensors with more than two values, for a hundred engines that run to
// failure. Rows of worn engines are anomalies. Ten engines form a class; the paper's classes
// are three environments.
func loadCMAPSS(_ context.Context, l *study.Lab) (draw, error) {
	d, err := dataset.LoadOne(dataset.Spec{
		Data: []string{l.Path(cmapssFile)}, Label: "label", Where: dataset.Condition{Column: "split", Value: "train"},
		Columns: []string{"engine", "s2", "s3", "s4", "s7", "s8", "s9", "s11", "s12", "s13", "s14", "s15", "s17", "s20", "s21"},
	})
	if err != nil {
		return nil, err
	}
	all, err := rows.Dense(d.Participants[0].Train)
	if err != nil {
		return nil, err
	}
	n, dim := all.Dims()
	x, err := unitRows(rows.InMemory(mat.DenseCopyOf(all.Slice(0, n, 1, dim))))
	if err != nil {
		return nil, err
	}
	var normal, worn []int
	classes := make([]float64, n)
	for row, left := range d.Participants[0].TrainLabels {
		classes[row] = float64(int(all.At(row, 0)-1) / 10)
		if left >= early {
			normal = append(normal, row)
		} else {
			worn = append(worn, row)
		}
	}
	size := sizes{6400, 1600, 1600}.of(l)
	if len(normal) < size.train+size.normal || len(worn) < size.anomalies {
		return nil, fmt.Errorf("%s: want %d normal rows and %d of worn engines, got %d and %d", cmapssFile, size.train+size.normal, size.anomalies, len(normal), len(worn))
	}
	return func(random *rand.Rand) sample {
		normal, worn := permuted(random, normal), permuted(random, worn)
		train := normal[:size.train]
		return sample{train: rows.Picked(x, train), classes: takeClasses(classes, train)}.
			with(rows.Picked(x, normal[size.train:size.train+size.normal]), rows.Picked(x, worn[:size.anomalies]))
	}, nil
}

// smdFiles returns the machines that are public in this form, half of the paper's.
func smdFiles() (files []string) {
	for _, name := range strings.Fields("1-2 1-3 1-4 1-5 1-6 1-7 1-8 2-1 2-2 2-3 2-4 2-5 2-7 2-8") {
		files = append(files, "smd/machine-"+name+".csv.gz")
	}
	return files
}
