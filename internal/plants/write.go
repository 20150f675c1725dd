package plants

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/dataset"
	"gonum.org/v1/gonum/mat"
)

// WriteCSV writes a file for every plant into dir, named like it, and returns
// the paths. Behind the sensors stand the columns label and split (train or
// test), so that --label label --where split=train --test-where split=test
// reads the same data. Files that are there are replaced.
func WriteCSV(dir string, all []dataset.Participant) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	paths := make([]string, len(all))
	for s := range all {
		paths[s] = filepath.Join(dir, all[s].Name+".csv")
		if err := writeOne(paths[s], &all[s]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func writeOne(path string, p *dataset.Participant) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	w := bufio.NewWriter(f) // keeps the first error for Flush
	_, _ = w.WriteString(strings.Join(p.Columns, ",") + ",label,split\n")
	writeRows(w, p.Train, p.TrainLabels, "train")
	writeRows(w, p.Test, p.TestLabels, "test")
	return w.Flush()
}

func writeRows(w *bufio.Writer, x *mat.Dense, labels []float64, split string) {
	n, _ := x.Dims()
	var line []byte
	for i := range n {
		line = line[:0]
		for _, v := range x.RawRowView(i) {
			line = append(strconv.AppendFloat(line, v, 'f', -1, 64), ',')
		}
		line = append(strconv.AppendFloat(line, labels[i], 'f', -1, 64), ',')
		line = append(append(line, split...), '\n')
		_, _ = w.Write(line)
	}
}
