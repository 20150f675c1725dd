package dataset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
)

// suspectFile returns n rows of columns that look like times, row numbers or labels, and of some
// that do not.
func suspectFile(n int, from float64) string {
	var b strings.Builder
	b.WriteString("temp,seconds,id,energy,drift,warming,is_attack,valve,Fault\n")
	for i := range n {
		x := float64(i) + from
		fmt.Fprintf(&b, "%d,%.2f,%d,%.0f,%.4f,%.4f,%d,%d,%d\n",
			i%7, 0.1*x, 1000+3*i*i, 5*x, 20-0.1*x, 20+0.001*x*x, one(i > n/2), i%2, i%3)
	}
	return b.String()
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Times, row numbers and labels are found by values and names together. A temporary drift, a switch
// and labels of classes are not suspects.
func TestSuspects(t *testing.T) {
	for n, want := range map[int][]string{
		60: {"seconds", "id", "energy", "is_attack"},
		19: {"is_attack"}, // too few rows: they may rise by chance
	} {
		folder(t, "a.csv", suspectFile(n, 0))
		for _, memory := range []int64{0, 1} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			if got := columnsOf(d.Suspects); !slices.Equal(got, want) {
				t.Errorf("%d rows, memory %d: got %v, want %v", n, memory, got, want)
			}
		}
	}
}

// Suspects are judged by the training rows in use. Declared columns are not suspects, nor are
// columns that restart in a later file.
func TestSuspectsAreOfTheRowsThatTrain(t *testing.T) {
	folder(t, "a.csv", suspectFile(30, 0), "b.csv", suspectFile(30, 0), "c.csv", suspectFile(30, 30))
	for _, c := range []struct {
		spec dataset.Spec
		want []string
	}{
		{dataset.Spec{Data: []string{"a.csv"}, Ignore: []string{"seconds", "energy"}, Label: "is_attack"}, []string{"id"}},
		{dataset.Spec{Data: []string{"a.csv", "b.csv"}, Label: "is_attack"}, nil},
		{dataset.Spec{Data: []string{"a.csv", "c.csv"}, Label: "is_attack"}, []string{"seconds", "energy"}},
		{dataset.Spec{Data: []string{"a.csv"}, Limit: 19, Label: "is_attack"}, nil},
		{dataset.Spec{Data: []string{"a.csv"}, Where: condition("valve=1"), Label: "is_attack"}, nil}, // 15 rows
	} {
		d, err := dataset.LoadOne(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := columnsOf(d.Suspects); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.spec, got, c.want)
		}
	}
	dealt, err := partition.Parse("iid:clients=2")
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"a.csv"}, Split: dealt, Label: "is_attack"})
	if err != nil || !slices.Equal(columnsOf(d.Suspects), []string{"seconds", "id", "energy"}) {
		t.Errorf("dealt: got %v, %v", d, err)
	}
}

// Noise is not a suspect, whatever the name of its column.
func TestNoiseIsNoSuspect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5), 20, 40).Draw(t, "values")
		if slices.IsSorted(values) {
			t.Skip("sorted")
		}
		if got := dataset.SuspectsOf("timestamp", values); got != nil {
			t.Fatalf("got %+v", got)
		}
	})
}

func TestUndeclared(t *testing.T) {
	folder(t, "a.csv", suspectFile(60, 0))
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, dataset.Undeclared(d.Suspects, nil), `column "seconds": it rises by the same step in all 60 rows, as times and numbers of rows do (rows of a), so it is likely to be no feature; others like it: "id", "energy", "is_attack"; leave it out with --ignore seconds,id,energy,is_attack, declare it with --label is_attack, or keep it as a feature with --keep seconds,id,energy,is_attack (in node.yaml: ignore, label, time_column, keep)`)
	wantError(t, dataset.Undeclared(d.Suspects, []string{"seconds", "energy", "is_attack"}), `column "id": it rises in each of 60 rows, as times and numbers of rows do (rows of a), so it is likely to be no feature; leave it out with --ignore id, declare it with --time-column id if --window wants times, or keep it as a feature with --keep id (in node.yaml: ignore, label, time_column, keep)`)
	if err := dataset.Undeclared(d.Suspects, columnsOf(d.Suspects)); err != nil {
		t.Errorf("all are kept, and got %v", err)
	}
}

func columnsOf(suspects []dataset.Suspect) (out []string) {
	for _, s := range suspects {
		out = append(out, s.Column)
	}
	return out
}
