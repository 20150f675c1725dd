package pipeline

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
)

// farRows stand for rows on other machines: workers of them run each job for some lanes.
type farRows struct {
	collabdict.Rows
	workers int
	fetched int // number of rows that came to this process
}

func (f *farRows) ReadRows(x []float64, from int) error {
	n, dim := f.Dims()
	return (&lanes.Origin{Source: f}).Read(x, from, n, dim)
}

func (f *farRows) Digest() []byte { return nil }

func (f *farRows) Run(steps []lanes.Step, count int, job string, args []byte) ([][]byte, error) {
	made, err := lanes.Make(f.Rows, steps)
	if err != nil {
		return nil, err
	}
	_, dim := made.Dims()
	out := make([][]byte, count)
	for w := range f.workers {
		var numbers []int
		for i := w; i < len(out); i += f.workers {
			numbers = append(numbers, i)
		}
		parts, err := lanes.Run(made, job, args, numbers)
		if err != nil {
			return nil, err
		}
		for i, number := range numbers {
			out[number] = parts[i]
			if job == "values" {
				f.fetched += len(parts[i]) / 8 / dim
			}
		}
	}
	return out, nil
}

// Training on rows that stay on other machines gives the model of the same rows here, to the last bit,
// however many workers there are. A threshold of training rows is that of the model's file. Only rows that are scored one by one come to this process.
func TestRowsElsewhereGiveTheSameModel(t *testing.T) {
	const n = 30_000
	x := algorithmtest.Draw(9, n, []float64{3, -200, 0}, []float64{1, 40, 0.01})
	random := rand.New(rand.NewPCG(2, 2))
	lacking := mat.DenseCopyOf(x)
	for range n / 10 {
		lacking.Set(random.IntN(n), random.IntN(3), math.NaN())
	}
	coarse := mat.DenseCopyOf(x)
	coarse.Apply(func(_, j int, v float64) float64 {
		if j == 1 {
			v = math.Round(v / 40)
		}
		return v
	}, x)
	for _, c := range []struct {
		kind, options string
		x             *mat.Dense
	}{
		{"ggm", "", x},
		{"ggm", "standardise=own normalise=robust hold-out=0.03", x},
		{"ggm", "standardise=global hold-out=0.01", x},
		{"ggm", "standardise=global normalise=minmax blur=0", x},
		{"ggm", "components=auto rounds=12 hold-out=0.01", x},
		{"ggm", "pca=2", x},
		{"ggm", "window=4 order=time hold-out=0.01", x},
		{"ggm", "missing=marginal standardise=global", lacking},
		{"ggm", "standardise=global hold-out=0.01", coarse},
		{"ggm", "rho=0.2 lambda=auto score=expected", x},
		{"dem", "standardise=global", x},
		{"dem", "covariance=diag standardise=own", x},
	} {
		t.Run(c.kind+" "+c.options, func(t *testing.T) {
			options := strings.Fields(c.options)
			fit := func(of collabdict.Rows) []uint64 {
				k := small(t, c.kind, options...)
				p := dataset.Participant{Name: "site", Columns: []string{"x", "y", "z"}, Train: of}
				if k.Window > 0 {
					p.Columns = rows.WindowColumns(p.Columns, k.Window)
					p.Train = rows.Windowed(of, k.Window, []int{0, n / 3}, false)
				}
				r, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				return values(r.Model)
			}
			want := fit(rows.InMemory(c.x))
			for _, workers := range []int{1, 3} {
				far := &farRows{Rows: rows.InMemory(c.x), workers: workers}
				got := fit(far)
				a, b := math.Float64frombits(got[0]), math.Float64frombits(want[0])
				if !slices.Equal(got[1:], want[1:]) || math.Abs(a-b) > 1e-12*math.Abs(b) {
					t.Errorf("%d workers: got %v, want %v", workers, got, want)
				}
				if far.fetched > 3*n/5 {
					t.Errorf("%d workers: %d of %d rows came here", workers, far.fetched, n)
				}
			}
		})
	}
}
