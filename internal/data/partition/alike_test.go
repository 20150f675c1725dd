package partition_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// DealAlike deals rows in memory like rows of a file.
func TestDealAlikeIsThatOfFiles(t *testing.T) {
	const n, dim = 300, 4
	rng := rand.New(rand.NewPCG(1, 1))
	var csv strings.Builder
	csv.WriteString("id,a,b,c,d,label,split\n")
	x, classes := mat.NewDense(n, dim, nil), make([]float64, n)
	var trained, tested []int
	for i := range n {
		csv.WriteString(strconv.Itoa(i))
		for j := range dim {
			v := rng.NormFloat64() * float64(4-j)
			x.Set(i, j, v)
			csv.WriteString("," + strconv.FormatFloat(v, 'g', -1, 64))
		}
		classes[i] = float64(i % 3)
		part := "train"
		if i%5 == 4 {
			part = "test"
			tested = append(tested, i)
		} else {
			trained = append(trained, i)
		}
		csv.WriteString("," + strconv.Itoa(i%3) + "," + part + "\n")
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	split := partition.Split{Kind: partition.PCAKMeans, Clients: 4, Shuffle: 0.2, Column: "label"}
	d, err := dataset.LoadAll(dataset.Spec{
		Data: []string{path}, Split: split, Label: "label", Ignore: []string{"id"}, Seed: 9,
		TestWhere: dataset.Condition{Column: "split", Value: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	take := func(rows []int) (*mat.Dense, []float64) {
		out, of := mat.NewDense(len(rows), dim, nil), make([]float64, len(rows))
		for i, r := range rows {
			out.SetRow(i, x.RawRowView(r))
			of[i] = classes[r]
		}
		return out, of
	}
	train, trainClasses := take(trained)
	test, testClasses := take(tested)
	a, b, err := split.DealAlike(train, test, trainClasses, testClasses, 9)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range d.Participants {
		for _, part := range []struct {
			rows collabdict.Rows
			from *mat.Dense
			hand []int
		}{{p.Train, train, a[k]}, {p.Test, test, b[k]}} {
			want := map[float64]bool{}
			if err := lanes.EachRow(part.rows, func(row []float64) { want[row[0]] = true }); err != nil {
				t.Fatal(err)
			}
			if len(want) != len(part.hand) {
				t.Errorf("participant %d has %d rows, want %d", k, len(part.hand), len(want))
			}
			for _, row := range part.hand {
				if !want[part.from.At(row, 0)] {
					t.Errorf("participant %d has row %d", k, row)
				}
			}
		}
	}
	if a, b, err := split.DealAlike(train, nil, trainClasses, nil, 9); err != nil || len(a) != 4 || len(b[0]) != 0 {
		t.Errorf("got %d and %v, %v", len(a), b, err)
	}
}
