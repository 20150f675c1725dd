package cli

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
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

// Rows are unlike those of training if many are anomalies. A fault of a few rows is none of that, whatever was
// promised.
func TestAFaultIsNotUnlikeTraining(t *testing.T) {
	m := mixtureOfTwo(t, 1)
	for _, c := range []struct {
		rows, anomalies int
		want            []string
	}{{144, 12, nil}, {144, 28, nil}, {144, 29, m.DataColumns()[1:]}, {20, 4, nil}, {1000, 1000, m.DataColumns()[1:]}} {
		f := newFinder(m, 0.001, "", local.Fixed(5))
		f.found.Rows, f.found.Anomalies = c.rows, c.anomalies
		f.found.Events = []event{{First: 1, Last: c.anomalies, Anomalies: c.anomalies, Sensors: []cause{{Sensor: m.DataColumns()[1], Share: 1}}}}
		if got := f.end().Unlike; !slices.Equal(got, c.want) {
			t.Errorf("%d of %d rows: unlike in %q, want %q", c.anomalies, c.rows, got, c.want)
		}
	}
}

// The strongest events are printed, in the order of rows.
func TestPrintedEventsAreInOrder(t *testing.T) {
	f := newFinder(mixtureOfTwo(t, 1), 0.01, "", local.Fixed(5))
	f.carried(nil)
	f.found.Rows, f.found.hasThreshold = 1000, true
	var want []string
	for i := range mostEvents + 3 {
		first := 10 * (i + 1)
		e := event{First: first, Last: first + 6, Anomalies: 4, weight: float64(i * 7 % (mostEvents + 3))}
		f.found.Events = append(f.found.Events, e)
		if e.weight >= 3 {
			want = append(want, fmt.Sprintf("row %d  row %d  4 of 7 ", e.First, e.Last))
		}
	}
	var out bytes.Buffer
	f.text(&out)
	var got []string
	for _, line := range regexp.MustCompile(`(?m)^row (\d+) +row (\d+) +(\d+) of (\d+) `).FindAllStringSubmatch(out.String(), -1) {
		got = append(got, fmt.Sprintf("row %s  row %s  %s of %s ", line[1], line[2], line[3], line[4]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("printed\n%s\nwant %q", &out, want)
	}
}

// Of one or two sensors that are shifted together, an event names just these, and expects what they would have
// been: the others give that, not the faulty ones.
func TestEventsNameSensorsThatFailTogether(t *testing.T) {
	const dim, length, noise = 7, 6, 0.3
	covariance := mat.NewSymDense(dim, nil) // all follow one load
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
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), strings.Split("abcdefg", ""), mixture)
	if err != nil {
		t.Fatal(err)
	}
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
		scores, err := m.Scores(m.Trained(mat.DenseCopyOf(b.X)))
		if err != nil {
			t.Fatal(err)
		}
		verdicts, limits := make([]verdict, length), make([]float64, length)
		for i, score := range scores {
			verdicts[i], limits[i] = verdictOf(score > limit, true), limit
		}
		f := newFinder(m, 0, "", local.Fixed(limit))
		f.carried(nil)
		if err := f.add(b, scores, limits, verdicts); err != nil {
			t.Fatal(err)
		}
		if len(f.found.Events) != 1 {
			t.Fatalf("trial %d: %d events, want 1", trial, len(f.found.Events))
		}
		e := f.found.Events[0]
		wanted += len(faulty)
		for _, c := range e.culprits() {
			named++
			if slices.Contains(faulty, c.modelColumn) {
				right++
				off += math.Abs(*c.Expected - loads[e.PeakRow-1])
			}
		}
	}
	if right < wanted*97/100 || named > right+wanted/20 || off/float64(right) > noise/2 {
		t.Errorf("%d of %d faulty sensors among %d named, expectations off by %.2f on average; want nearly all, and below %.2f", right, wanted, named, off/float64(right), noise/2)
	}
}
