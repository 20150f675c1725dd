package pipeline

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
)

// numbered returns n labelled rows of two columns: in time order the row's number and a slow wave,
// otherwise random numbers.
func numbered(n int, inTime bool) dataset.Participant {
	x := mat.NewDense(n, 2, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	labels := make([]float64, n)
	for i := range n {
		v := rng.NormFloat64()
		first := rng.Float64()
		if inTime {
			v, first = math.Sin(float64(i)/20)+0.1*v, float64(i)
		}
		x.SetRow(i, []float64{first, v})
		labels[i] = float64(i)
	}
	return dataset.Participant{Columns: []string{"number", "wave"}, Train: rows.InMemory(x), TrainLabels: labels}
}

func TestRowsAreHeldOut(t *testing.T) {
	for _, inTime := range []bool{false, true} {
		k := example(t, "hold-out=0.2")
		p, held, _, err := k.split(numbered(400, inTime), nil)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := p.Train.Dims()
		out, _ := held.Dims()
		if n != 320 || out != 80 || len(p.TrainLabels) != 320 {
			t.Errorf("%d rows and %d labels, %d held out", n, len(p.TrainLabels), out)
		}
		gaps := 0
		for i := 1; i < n; i++ {
			if p.TrainLabels[i] != p.TrainLabels[i-1]+1 {
				gaps++
			}
		}
		if inTime && gaps != 3 || !inTime && gaps < 30 {
			t.Errorf("in time order %t: held out in %d places between rows", inTime, gaps)
		}
		again, _, _, _ := k.split(numbered(400, inTime), nil)
		if !slices.Equal(again.TrainLabels, p.TrainLabels) {
			t.Error("other rows are held out the second time")
		}
	}
	if p, held, _, err := example(t, "hold-out=0.2").split(numbered(19, false), nil); err != nil || held != nil || len(p.TrainLabels) != 19 {
		t.Errorf("want no rows held out of 19, got %v, error %v", held, err)
	}
	if k := example(t, "rho=1", "lambda=auto"); k.HoldOut != 0 {
		t.Errorf("with rho: want nothing held out, got a share of %g", k.HoldOut)
	}
}

// With epsilon, coins decide which rows are held out, whatever the rows are. One row more changes the
// training rows by at most that row.
func TestCoinsHoldRowsOut(t *testing.T) {
	k := example(t, "epsilon=1", "delta=1e-5", "rounds=12", "standardise=none", "clip=3", "hold-out=0.25")
	const n = 4000
	var ids [2][]float64
	for i := range ids {
		p, held, order, err := k.split(numbered(n+i, true), rand.NewPCG(3, 3))
		if err != nil || order.Order != NoOrder {
			t.Fatalf("order %+v, %v", order, err)
		}
		if out, _ := held.Dims(); math.Abs(float64(out)-n/4) > 5*math.Sqrt(n*3.0/16) || out+len(p.TrainLabels) != n+i {
			t.Errorf("%d of %d rows held out, %d left", out, n+i, len(p.TrainLabels))
		}
		ids[i] = p.TrainLabels
	}
	if before := ids[0]; !slices.Equal(before, ids[1][:len(before)]) || len(ids[1])-len(before) > 1 {
		t.Errorf("%d training rows become %d", len(ids[0]), len(ids[1]))
	}
	if other, _, _, _ := k.split(numbered(n, true), rand.NewPCG(4, 3)); slices.Equal(other.TrainLabels, ids[0]) {
		t.Error("other coins hold the same rows out")
	}
	p, held, _, err := k.split(numbered(6, true), rand.NewPCG(3, 3))
	if err != nil || held != nil || len(p.TrainLabels) > 6 {
		t.Errorf("of six rows: %v held out, %d left, %v", held, len(p.TrainLabels), err)
	}
	if got := chosen([]int{1, 3, 5, 7, 9}, 3, 1); len(got) != 3 || !slices.IsSorted(got) || slices.Contains(got, 0) {
		t.Errorf("chosen %v", got)
	}
	if _, err := attempt("ggm", "epsilon=1", "delta=1e-5", "components=2", "rounds=12", "standardise=none", "clip=3", "order=time"); err == nil {
		t.Error("blocks of held-out rows with epsilon")
	}
	if k.Missing != dataset.SkipMissing {
		t.Errorf("missing cells: %s", k.Missing)
	}
}

// many holds rows that are computed when read, with their numbers in the first column.
type many int

func (m many) Dims() (n, width int) { return int(m), 2 }

func (m many) ReadRows(x []float64, from int) error {
	for i := range len(x) / 2 {
		x[2*i], x[2*i+1] = float64(from+i), 1
	}
	return nil
}

// The number of held-out rows is bounded, but large enough to measure shares of false alarms.
// Holding rows out takes memory for these rows alone.
func TestHeldOutRowsAreBounded(t *testing.T) {
	testkit.SkipRaced(t)
	for _, c := range []struct {
		rows    int
		options []string
		want    int
		blocks  int // 0 for rows that are drawn
	}{
		{500_000, []string{"order=none"}, 100_000, 0},
		{10_000_000, []string{"order=none"}, 100_000, 0},
		{10_000_000, []string{"order=none", "hold-out=0.005"}, 50_000, 0},
		{10_000_000, []string{"order=none", "false-alarm=0.0005"}, 200_000, 0},
		{499_999, []string{"order=time"}, 99_999, 4},
		{10_000_000, []string{"order=time"}, 100_000, 20},
		{10_000_000, []string{"order=time", "window=1000"}, 100_000, 8},
		{10_000_000, []string{"order=time", "window=10000"}, 100_000, 4},
	} {
		k := example(t, append([]string{"hold-out=0.2"}, c.options...)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, held, _, err := k.split(dataset.Participant{Columns: []string{"number", "one"}, Train: many(c.rows)}, nil)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := p.Train.Dims()
		if out, _ := held.Dims(); out != c.want || n != c.rows-c.want {
			t.Errorf("%d rows, %q: %d held out, %d left, want %d held out", c.rows, c.options, out, n, c.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%d rows, %q: %d bytes to hold %d rows out", c.rows, c.options, took, c.want)
		}
		if c.blocks > 0 {
			x, err := rows.Dense(held)
			if err != nil {
				t.Fatal(err)
			}
			blocks := 1
			for i := 1; i < c.want; i++ {
				if x.At(i, 0) != x.At(i-1, 0)+1 {
					blocks++
				}
			}
			if blocks != c.blocks {
				t.Errorf("%d rows, %q: %d blocks, want %d", c.rows, c.options, blocks, c.blocks)
			}
		}
	}
}

// Rows that stay in their file also stay there if some are held out and the rest are projected to
// axes.
func TestProjectedRowsStayInTheirFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "site.csv")
	spec, err := dataset.Write(path, numbered(400, true))
	if err != nil {
		t.Fatal(err)
	}
	spec.Memory = 1
	d, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	k := example(t, "hold-out=0.2", "pca=1")
	p, _, _, err := k.split(d.Participants[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	z, err := k.Prepared(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if _, held := z.(rows.Matrix); held {
		t.Error("all projected rows are in memory")
	}
}

// Missing cells do not hide a time order of rows.
func TestTimeOrderWithMissingCells(t *testing.T) {
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		x.SetRow(i, []float64{math.Sin(float64(i) / 10), math.NaN()})
		if i%7 == 3 {
			x.SetRow(i, []float64{math.NaN(), 1})
		}
	}
	o, err := example(t, "order=auto").order(dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: rows.InMemory(x)})
	if err != nil || o.Order != InTime {
		t.Errorf("got %+v, %v", o, err)
	}
}

// With epsilon, the number of rows ends no run: nobody learns from an error that a member has few
// rows, or that its coins have held out all of them.
func TestEpsilonNeedsNoRows(t *testing.T) {
	for kind, holds := range map[string]bool{"ggm": true, "dem": true, "fedgen": false, "fedgem": false} {
		options := []string{"components=3", "epsilon=1", "standardise=none", "clip=3"}
		if holds {
			options = append(options, "hold-out=0.5")
		}
		k := made(t, kind, options...)
		parts, _ := clusters(6)
		for s := range 4 {
			parts[s].Train = rows.InMemory(mat.NewDense(1, 2, []float64{0.5, -0.5}))
		}
		none := 0
		for s, r := range together(t, network(t, k), k, parts) {
			if r.Model == nil || !(r.Model.Manifest.Threshold > 0) {
				t.Fatalf("%s: member %d: %+v", kind, s, r.Model)
			}
			if r.Model.Manifest.Rows == 0 {
				none++
			}
		}
		if holds != (none > 0) {
			t.Errorf("%s: %d members have trained on no rows", kind, none)
		}
	}
}
