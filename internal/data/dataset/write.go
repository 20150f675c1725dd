package dataset

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/files"
)

// Write writes a participant's rows to a CSV file, and returns the Spec with which [LoadOne]
// reads them. After the features come a column of labels, if there are any; one of times, if
// windows begin within the rows; and one that separates training and test rows, if these
// differ. Windows' columns are not written. Known anomalies that were left out of training are
// written with their labels, so that a reader can leave them out again.
func Write(path string, p Participant) (Spec, error) {
	columns := p.Columns
	if p.labelled != nil {
		p.Train, p.TrainLabels = p.labelled, p.labels
	}
	train, test := rows.Unwindowed(p.Train), rows.Unwindowed(p.Test)
	if _, m := train.Dims(); m < len(columns) { // the remaining columns are made by windows
		columns = columns[:m]
	}
	spec := Spec{Data: []string{path}, Columns: columns, Name: p.Name}
	header := slices.Clone(columns)
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
	if len(p.Begins) > 1 || len(p.TestBegins) > 1 {
		spec.Time = free("time")
	}
	apart := p.Test != p.Train
	if apart {
		column := free("split")
		spec.Where = Condition{Column: column, Value: "train"}
		if p.Test != nil {
			spec.TestWhere = Condition{Column: column, Value: "test"}
		}
	}
	err := files.Write(path, 0o600, func(out io.Writer) error {
		w := csv.NewWriter(out)
		if err := w.Write(header); err != nil {
			return err
		}
		if err := writeRows(w, spec, train, p.Begins, p.TrainLabels, spec.Where.Value); err != nil {
			return err
		}
		if apart && p.Test != nil {
			if err := writeRows(w, spec, test, p.TestBegins, p.TestLabels, spec.TestWhere.Value); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	})
	return spec, err
}

// writeRows writes rows with their labels, normal if there are none. Times step by 1, and by
// more where windows begin.
func writeRows(w *csv.Writer, spec Spec, x collabdict.Rows, begins []int, labels []float64, split string) error {
	var line []string
	time := 0
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
		if spec.Time != "" {
			if time++; slices.Contains(begins, i) {
				time += 2 * gapSteps
			}
			line = append(line, strconv.Itoa(time))
		}
		if split != "" {
			line = append(line, split)
		}
		return w.Write(line)
	}
	return rows.Each(x, func(block *mat.Dense, from int) error {
		n, _ := block.Dims()
		for i := range n {
			if err := write(from+i, block.RawRowView(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
