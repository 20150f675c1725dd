package dataset_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/dataset"
)

// Of rows that come as they are measured, the first says how they are written, in whatever
// pieces they come.
func TestDialectOfRowsThatCome(t *testing.T) {
	for content, want := range map[string][]float64{
		"sep=;\ntemp;flow\n1,5;20\n2,5;21\n":            {1.5, 20, 2.5, 21},
		"# logger\n\ntemp\tflow\r\n1,5\t20\r\n2,5\t21":  {1.5, 20, 2.5, 21},
		"\ufefftemp,flow\n1.5,20\n":                     {1.5, 20},
		"temp;flow\n1.5;20\n" + "2.5;21\n" + "3.5;22\n": {1.5, 20, 2.5, 21, 3.5, 22},
	} {
		for name, reader := range map[string]io.Reader{"one piece": strings.NewReader(content), "bytes": iotest.OneByteReader(strings.NewReader(content))} {
			spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"temp", "flow"}}
			if err := spec.Forward(t.Context(), reader); err != nil {
				t.Fatal(err)
			}
			var got []float64
			_, err := dataset.Scan(spec, func(x *mat.Dense, _ []int) error {
				n, _ := x.Dims()
				for i := range n {
					got = append(got, x.RawRowView(i)...)
				}
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q in %s: got %v, %v", content, name, got, err)
			}
		}
	}
	// A later row in another way of writing is an error, not another number.
	spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"temp", "flow"}}
	if err := spec.Forward(t.Context(), strings.NewReader("temp;flow\n1;2\n1,5;2\n")); err != nil {
		t.Fatal(err)
	}
	_, err := dataset.Scan(spec, func(*mat.Dense, []int) error { return nil })
	wantError(t, err, `standard input:3: column "temp": want a number with the decimal sign ".", got "1,5"; write all numbers with the same decimal sign`)
}
