package dataset_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// Scan numbers rows among all rows of the files, and passes them in order, whatever the size of
// blocks.
func TestScanNumbersRowsByTheirPlace(t *testing.T) {
	var a strings.Builder
	a.WriteString("kind,x,y\n")
	for i := range 9000 {
		a.WriteString([]string{"old,", "new,"}[i%2] + "1,2\n")
	}
	folder(t, "a.csv", a.String(), "b.csv.gz", zipped(t, "y,x,kind\n\n7,8,new\n5,6,old\n3,4,new\n"))
	spec := dataset.Spec{Data: []string{"a.csv", "b.csv.gz"}, Columns: []string{"x", "y"}, Where: dataset.Condition{Column: "kind", Value: "new"}}
	var numbers []int
	var last []float64
	_, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
		x := b.X
		some := b.Numbers

		numbers = append(numbers, some...)
		n, m := x.Dims()
		if n != len(some) || m != 2 {
			t.Errorf("%d by %d values for %d rows", n, m, len(some))
		}
		last = slices.Clone(x.RawMatrix().Data[2*(n-2):])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(numbers) != 4502 || numbers[0] != 2 || numbers[4499] != 9000 || numbers[4500] != 9001 || numbers[4501] != 9003 || !slices.IsSorted(numbers) {
		t.Errorf("%d numbers from %v to %v", len(numbers), numbers[0], numbers[4498:])
	}
	if !slices.Equal(last, []float64{8, 7, 4, 3}) {
		t.Errorf("the last rows are %v", last)
	}
}

func TestScanErrors(t *testing.T) {
	folder(t, "a.csv", "kind,x\nnew,1\nold,2\nnew,oops\n", "empty.csv", "kind,x\n", "other.csv", "kind,z\nnew,1\n")
	where := func(value string) dataset.Condition { return dataset.Condition{Column: "kind", Value: value} }
	for want, spec := range map[string]dataset.Spec{
		"a.csv:4":            {Data: []string{"a.csv"}, Where: where("new")},
		"no row meets":       {Data: []string{"a.csv"}, Where: where("none")},
		"empty.csv":          {Data: []string{"empty.csv"}},
		"other.csv":          {Data: []string{"other.csv"}},
		"gone.csv":           {Data: []string{"gone.csv"}},
		`column "kin"`:       {Data: []string{"a.csv"}, Carry: []string{"kind", "kin"}},
		"the reader is full": {Data: []string{"a.csv"}, Where: where("old")},
	} {
		spec.Columns = []string{"x"}
		_, err := dataset.Scan(spec, uncarried, func(dataset.Block) error { return errors.New("the reader is full") })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
