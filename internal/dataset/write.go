package dataset

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/rows"
)

// Write writes the rows of a participant to a CSV file, and returns the Spec with
// which [LoadOne] reads them again. Behind the features stand a column of labels,
// if there are any, and one that says which rows are for training and which are
// for testing, if those are not the same.
func Write(path string, p Participant) (Spec, error) {
	spec := Spec{Data: []string{path}, Columns: p.Columns, Name: p.Name}
	header := slices.Clone(p.Columns)
	free := func(name string) string {
		for slices.Contains(header, name) {
			name += "_"
		}
		header = append(header, name)
		return name
	}
	if p.TestLabels != nil {
		spec.Label = free("label")
	}
	if p.Test != p.Train {
		split := free("split")
		spec.Where = Condition{Column: split, Value: "train"}
		if p.Test != nil {
			spec.TestWhere = Condition{Column: split, Value: "test"}
		}
	}
	err := atomicfile.Write(path, 0o600, func(out io.Writer) error {
		w := csv.NewWriter(out)
		if err := w.Write(header); err != nil {
			return err
		}
		if err := writeRows(w, spec, p.Train, p.TrainLabels, spec.Where.Value); err != nil {
			return err
		}
		if p.Test != p.Train && p.Test != nil {
			if err := writeRows(w, spec, p.Test, p.TestLabels, spec.TestWhere.Value); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	})
	return spec, err
}

// writeRows writes rows with their labels; without any they count as normal.
func writeRows(w *csv.Writer, spec Spec, of collabdict.Rows, labels []float64, split string) error {
	var line []string
	write := func(i int, row []float64) error {
		line = line[:0]
		for _, v := range row {
			line = append(line, decimal(v))
		}
		if spec.Label != "" {
			label := 0.0
			if labels != nil {
				label = labels[i]
			}
			line = append(line, decimal(label))
		}
		if split != "" {
			line = append(line, split)
		}
		return w.Write(line)
	}
	return rows.Each(of, func(x *mat.Dense, from int) error {
		n, _ := x.Dims()
		for i := range n {
			if err := write(from+i, x.RawRowView(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
