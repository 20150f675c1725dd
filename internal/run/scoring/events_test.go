package scoring

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// sensorsOfOneLoad returns a model of sensors that all follow one load, with noise.
func sensorsOfOneLoad(t testing.TB, dim int, noise float64) *model.Model {
	t.Helper()
	covariance := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			covariance.SetSym(i, j, 1)
		}
		covariance.SetSym(i, i, 1+noise*noise)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(covariance); err != nil {
		t.Fatal(err)
	}
	precision := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			precision.SetSym(i, j, inverse.At(i, j))
		}
	}
	mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, dim, nil), []*mat.SymDense{precision})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), strings.Split("abcdefg"[:dim], ""), mixture)
	if err != nil {
		t.Fatal(err)
	}
	m.Manifest.Threshold = 9
	return m
}

// Rows are unlike those of training if many are anomalies. A fault of a few rows is none of that, whatever was
// promised.
func TestAFaultIsNotUnlikeTraining(t *testing.T) {
	m := sensorsOfOneLoad(t, 2, 0.3)
	for _, c := range []struct {
		rows, anomalies int
		want            []string
	}{{144, 12, nil}, {144, 28, nil}, {144, 29, m.DataColumns()[1:]}, {20, 4, nil}, {1000, 1000, m.DataColumns()[1:]}} {
		f := NewFinder(New(m, local.Fixed(5), false), NewExplainer(m), &Rules{}, 0.001, NewPlaces(nil, ""))
		f.found.Rows, f.found.Anomalies = c.rows, c.anomalies
		f.found.Events = []Event{{First: 1, Last: c.anomalies, Anomalies: c.anomalies, Sensors: []Cause{{Sensor: m.DataColumns()[1], Share: 1}}}}
		if got := f.Found().Unlike; !slices.Equal(got, c.want) {
			t.Errorf("%d of %d rows: unlike in %q, want %q", c.anomalies, c.rows, got, c.want)
		}
	}
}

// Of one or two sensors that are shifted together, an event names just these, and expects what they would have
// been: the others give that, not the faulty ones.
func TestEventsNameSensorsThatFailTogether(t *testing.T) {
	const dim, length, noise = 7, 6, 0.3
	m := sensorsOfOneLoad(t, dim, noise)
	const limit = 9
	random := rand.New(rand.NewPCG(1, 2))
	named, right, wanted, off := 0, 0, 0, 0.0
	for trial := range 100 {
		faulty := random.Perm(dim)[:1+trial%2]
		b := dataset.Block{X: mat.NewDense(length, dim, nil), Carried: make([][]string, length)}
		loads := make([]float64, length)
		for i := range length {
			b.Numbers = append(b.Numbers, i+1)
			loads[i] = random.NormFloat64()
			for j := range dim {
				b.X.Set(i, j, loads[i]+noise*random.NormFloat64())
			}
			for _, j := range faulty {
				b.X.Set(i, j, b.X.At(i, j)+2.5)
			}
		}
		b.Empty = make([]bool, length)
		by := New(m, local.Fixed(limit), false)
		r, err := by.score(b)
		if err != nil {
			t.Fatal(err)
		}
		by.judge(r)
		f := NewFinder(by, NewExplainer(m), &Rules{}, 0, NewPlaces(nil, ""))
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
		if len(f.Events()) != 1 {
			t.Fatalf("trial %d: %d events, want 1", trial, len(f.Events()))
		}
		e := f.Events()[0]
		wanted += len(faulty)
		for _, c := range e.Culprits() {
			named++
			if slices.Contains(faulty, c.Column) {
				right++
				off += math.Abs(*c.Expected - loads[e.PeakRow-1])
			}
		}
	}
	if right < wanted*97/100 || named > right+wanted/20 || off/float64(right) > noise/2 {
		t.Errorf("%d of %d faulty sensors among %d named, expectations off by %.2f on average; want nearly all, and below %.2f", right, wanted, named, off/float64(right), noise/2)
	}
}

// Rows of a block that are explained already are not explained again. Each call selects its own rows, and rows that
// are not explained yet are.
func TestABlockIsExplainedOnce(t *testing.T) {
	m := sensorsOfOneLoad(t, 3, 0.3)
	r := &Rows{
		Block:  dataset.Block{X: mat.NewDense(3, 3, []float64{0, 0, 0, 9, 0, 0, 0, math.NaN(), 9}), Numbers: []int{1, 2, 3}},
		Scores: []float64{1, 10, 10}, Limits: []float64{9, 9, 9}, Verdicts: []Verdict{Normal, Anomalous, Anomalous},
	}
	e := NewExplainer(m)
	explained := func(wanted ...int) *Explained {
		t.Helper()
		s, err := e.Rows(r, func(i int) bool { return slices.Contains(wanted, i) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Scores {
			if want := slices.Contains(wanted, i); s.Has(i) != want || (s.Causes(i, 1) != nil) != want || (len(s.Guilty(i)) > 0) != (want && i > 0) {
				t.Errorf("of %v, row %d: explained %t, by %v, guilty %q", wanted, i, s.Has(i), s.Causes(i, 1), s.Guilty(i))
			}
		}
		return s
	}
	two := explained(1, 2)
	one := explained(2)
	if one.Parts != two.Parts {
		t.Error("a row is explained again")
	}
	if !reflect.DeepEqual(one.Causes(2, 0), two.Causes(2, 0)) {
		t.Errorf("got %v, want %v", one.Causes(2, 0), two.Causes(2, 0))
	}
	explained()
	all := explained(0, 1, 2)
	if !reflect.DeepEqual(one.Causes(2, 0), all.Causes(2, 0)) {
		t.Errorf("got %v, want %v", all.Causes(2, 0), one.Causes(2, 0))
	}
}

// The first sensor of a row has the largest share, however many others are at fault, and an event has the sensors
// of its peak row.
func TestTheLargestShareIsFirst(t *testing.T) {
	const dim, length = 7, 400
	m := sensorsOfOneLoad(t, dim, 0.3)
	random := rand.New(rand.NewPCG(3, 4))
	b := dataset.Block{X: mat.NewDense(length, dim, nil), Carried: make([][]string, length), Empty: make([]bool, length)}
	for i := range length {
		b.Numbers = append(b.Numbers, i+1)
		load := random.NormFloat64()
		for j := range dim {
			b.X.Set(i, j, load+0.3*random.NormFloat64())
		}
		for _, j := range random.Perm(dim)[:random.IntN(dim+1)] {
			b.X.Set(i, j, b.X.At(i, j)+4*random.NormFloat64())
		}
	}
	by := New(m, local.Fixed(9), false)
	r, err := by.score(b)
	if err != nil {
		t.Fatal(err)
	}
	by.judge(r)
	f := NewFinder(by, NewExplainer(m), &Rules{}, 0, NewPlaces(nil, ""))
	f.Explainer.low, f.Explainer.high = slices.Repeat([]float64{-1}, dim), slices.Repeat([]float64{1}, dim)
	why, err := f.Explainer.Rows(r, func(int) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for i := range length {
		all := why.Causes(i, 0)
		largest := slices.MaxFunc(all, func(a, b Cause) int { return cmp.Compare(a.Share, b.Share) })
		guilty := 0
		for _, c := range all {
			if c.Guilty {
				guilty++
			}
		}
		if guilty > mostGuilty {
			t.Errorf("row %d: %d sensors at fault, want at most %d", i+1, guilty, mostGuilty)
		}
		if all[0].Share != largest.Share {
			t.Errorf("row %d, an anomaly: %q: the first sensor is %+v, and %+v has the largest share", i+1, r.Verdicts[i], all[0], largest)
		}
	}
	if err := f.Add(r); err != nil {
		t.Fatal(err)
	}
	for _, e := range f.Events() {
		if want := why.Causes(e.PeakRow-1, 3); !reflect.DeepEqual(e.Sensors, want) {
			t.Errorf("event of rows %d to %d: sensors %v, its peak has %v", e.First, e.Last, e.Sensors, want)
		}
	}
}
