package model_test

import (
	"bytes"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/model"
)

// A mixture becomes a file that the command can read. A program reads it and finds which of two
// rows is an anomaly, and which column causes that.
func Example() {
	mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 2, []float64{20, 5}), []*mat.SymDense{mat.NewSymDense(2, []float64{1, 0, 0, 4})})
	if err != nil {
		log.Fatal(err)
	}
	learned, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), []string{"temperature", "flow"}, mixture)
	if err != nil {
		log.Fatal(err)
	}
	learned.Manifest.Threshold = 4
	var file bytes.Buffer // as from os.Create
	if err := learned.Write(&file); err != nil {
		log.Fatal(err)
	}

	m, err := model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	rows := mat.NewDense(2, 2, []float64{20.5, 5.1, 20, 7})
	scores, err := m.ScoreRows(gmm.Matrix(rows))
	if err != nil {
		log.Fatal(err)
	}
	why, err := m.ExplainRows(rows)
	if err != nil {
		log.Fatal(err)
	}
	for i, score := range scores {
		fmt.Printf("%.2f %t %s %.2f expected %.1f\n", score, score > m.Manifest.Threshold, m.Manifest.Columns, why.Parts.RawRowView(i), why.Expected.RawRowView(i))
	}
	// Output:
	// 1.29 false [temperature flow] [0.12 0.02] expected [20.0 5.0]
	// 9.14 true [temperature flow] [0.00 8.00] expected [20.0 5.0]
}
