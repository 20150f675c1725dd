package dataset_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// The bytes of a CSV file give the same columns, rows and errors on standard input as in a file, in
// whatever pieces they arrive.
func TestCSVOnInputIsAsInAFile(t *testing.T) {
	files := append(awkwardFiles(t),
		awkward{name: "units", content: "p;b\nbar;K\n1,5;2\n2;4\n"},
		awkward{name: "late decimal comma", content: "p;b\n1502;2502\n1502,5;2502\n"},
		awkward{name: "three lines above", content: "one\ntwo\nthree\np;b\n1,5;2\n3;4\n", set: dataset.CSV{Skip: 3}},
		awkward{name: "percent signs", content: "% of\n% a plant\np;b\n1,5;2\n3;4\n", set: dataset.CSV{Comment: "%"}},
	)
	units := map[string]dataset.Unit{"p": {Agreed: "kPa"}}
	for _, f := range files {
		if f.name == "json" || f.name == "header-only" {
			continue // standard input may hold JSON, and has another error for no rows
		}
		path := f.name + ".csv"
		folder(t, path, f.content)
		want := csvReading(dataset.Spec{Data: []string{path}, CSV: f.set, Units: units})
		for name, reader := range map[string]io.Reader{"one piece": strings.NewReader(f.content), "bytes": iotest.OneByteReader(strings.NewReader(f.content))} {
			spec := dataset.Spec{Data: []string{"-"}, CSV: f.set, Units: units}
			if err := spec.Forward(t.Context(), reader, never); err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(csvReading(spec), "standard input", path); got != want {
				t.Errorf("%s in %s: got\n%s\nwant\n%s", f.name, name, got, want)
			}
		}
	}
}

// csvReading returns as text everything that scoring reads: the columns, rows, notes and errors.
func csvReading(spec dataset.Spec) string {
	columns, ignored, err := dataset.Features(spec)
	said := fmt.Sprintln(columns, ignored, err)
	if err != nil {
		return said
	}
	spec.Columns, spec.Missing, spec.Scored = columns, dataset.KeepMissing, true
	gaps, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
		x := b.X
		numbers := b.Numbers

		said += fmt.Sprintln(numbers, x.RawMatrix().Data)
		return nil
	})
	return said + fmt.Sprintln(gaps.Forms(), gaps, err)
}
