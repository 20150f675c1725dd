package oneshot

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// The public rows have the ranges, columns and classes that the experiments expect, and some
// anomalies.
func TestSets(t *testing.T) {
	folder := testkit.OutsidePath(t, "data")
	want := map[string]struct{ columns, classes int }{"MNIST": {24, 10}, "Covertype": {10, 7}, "SMD": {38, 14}, "C-MAPSS": {14, 10}}
	check := study.Study{Name: "sets", Run: func(ctx context.Context, l *study.Lab) error {
		for i := range sets {
			s := &sets[i]
			draw, err := s.load(ctx, l)
			if err != nil {
				return err
			}
			rows := draw(source(0, "rows"))
			classes, anomalies := map[float64]bool{}, 0.0
			for _, class := range rows.classes {
				classes[class] = true
			}
			for _, label := range rows.labels {
				anomalies += label
			}
			n, dim := rows.train.Dims()
			scored, _ := rows.test.Dims()
			if w := want[s.name]; dim != w.columns || len(classes) != w.classes || len(rows.classes) != n || len(rows.labels) != scored || anomalies == 0 {
				t.Errorf("%s: %d by %d rows of %d classes, %d scored, %g anomalies; want %+v", s.name, n, dim, len(classes), scored, anomalies, w)
			}
			if low, high := mat.Min(rows.train), mat.Max(rows.train); low < 0 || high > 1 {
				t.Errorf("%s: values from %g to %g", s.name, low, high)
			}
		}
		return nil
	}}
	if _, err := study.Run(t.Context(), check, folder, t.TempDir(), true, t.Logf); err != nil {
		t.Fatal(err)
	}
}
