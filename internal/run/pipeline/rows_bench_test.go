//go:build unix

package pipeline

import (
	"math"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/testkit"
)

// BenchmarkLocalUpdate measures a round's pass over rows: in memory, in single precision, and read
// from their file. It reports the least processor time per row, which other programs disturb less
// than elapsed time.
func BenchmarkLocalUpdate(b *testing.B) {
	path := testkit.OutsideUnpacked(b, "data", "smd", "machine-2-1.csv.gz")
	kinds := []string{"memory", "float32", "file"}
	learners := []*em.Learner{
		learnerOn(b, dataset.Spec{Data: []string{path}, Memory: math.MaxInt64}),
		learnerOn(b, dataset.Spec{Data: []string{path}, Memory: math.MaxInt64, Float32: true}),
		learnerOn(b, dataset.Spec{Data: []string{path}, Memory: 1}),
	}
	least := []time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for i, l := range learners {
			before := processorTime(b)
			if _, err := l.LocalUpdate(); err != nil {
				b.Fatal(err)
			}
			least[i] = min(least[i], processorTime(b)-before)
		}
	}
	for i, kind := range kinds {
		b.ReportMetric(float64(least[i])/float64(learners[i].TotalRows()), "ns/row-"+kind)
	}
	b.ReportMetric(float64(least[0])/float64(least[2]), "file/memory")
}

// learnerOn returns a learner of ten components that starts at the first rows.
func learnerOn(b *testing.B, spec dataset.Spec) *em.Learner {
	const k = 10
	d, err := dataset.LoadOne(spec)
	if err != nil {
		b.Fatal(err)
	}
	x := d.Participants[0].Train
	scaling, _, err := rows.Own(x)
	if err != nil {
		b.Fatal(err)
	}
	z := scaling.Copy(x)
	_, dim := z.Dims()
	init := &gmm.Parameters{Means: mat.NewDense(k, dim, nil), Weights: make([]float64, k)}
	if err := z.ReadRows(init.Means.RawMatrix().Data, 0); err != nil {
		b.Fatal(err)
	}
	for i := range k {
		precision := mat.NewSymDense(dim, nil)
		for j := range dim {
			precision.SetSym(j, j, 1)
		}
		init.Weights[i], init.Precisions = 1./k, append(init.Precisions, precision)
	}
	l, err := em.NewLearner(z, em.Config{Components: k, Init: init})
	if err == nil {
		err = l.Start(b.Context(), collabdict.Solo{})
	}
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
