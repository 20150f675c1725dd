package dataset_test

import (
	"math"
	"os"
	"reflect"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/rows"
	"github.com/collabdict/collabdict/internal/units"
)

// inFahrenheit says how the column T of a file becomes temp in degC.
func inFahrenheit(t testing.TB, file string) dataset.Spec {
	t.Helper()
	c, err := units.Convert("degF", "degC")
	if err != nil {
		t.Fatal(err)
	}
	return dataset.Spec{
		Data: []string{file}, Columns: []string{"temp", "flow"}, Rename: map[string]string{"T": "temp", "kind": "part"},
		Convert: map[string]units.Conversion{"temp": c},
	}
}

// Columns are renamed and converted in memory, in streams and in scans, and where cells are
// missing.
func TestOwnNamesAndUnits(t *testing.T) {
	folder(t, "a.csv", "flow,T,kind\n1,212,x\n2,32,y\n3,?,x\n4,-40,x\n", "a.ndjson", `{"flow":1,"T":212,"kind":"x"}
{"flow":2,"T":32,"kind":"y"}
{"flow":3,"T":null,"kind":"x"}
{"flow":4,"T":-40,"kind":"x"}
`)
	for _, file := range []string{"a.csv", "a.ndjson"} {
		for _, memory := range []int64{0, 1} {
			spec := inFahrenheit(t, file)
			spec.Missing, spec.Where, spec.Memory = dataset.SkipMissing, condition("part=x"), memory
			d, err := dataset.LoadOne(spec)
			if err != nil {
				t.Fatal(err)
			}
			x, err := rows.Dense(d.Participants[0].Train)
			if err != nil {
				t.Fatal(err)
			}
			if want := mat.NewDense(2, 2, []float64{100, 1, -40, 4}); !mat.EqualApprox(x, want, 1e-12) {
				t.Errorf("%s, memory %d: got %v, want %v", file, memory, mat.Formatted(x), mat.Formatted(want))
			}
		}
		spec := inFahrenheit(t, file)
		spec.Missing, spec.Scored = dataset.KeepMissing, true
		n := 0
		if _, err := dataset.Scan(spec, func(x *mat.Dense, _ []int) error { n, _ = x.Dims(); return nil }); err != nil || n != 4 {
			t.Errorf("%s: %d rows, %v", file, n, err)
		}
	}
}

// A converted value is the same with and without missing cells elsewhere in its row.
func TestConversionsAreTheSameByText(t *testing.T) {
	folder(t)
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.Float64Range(-1e6, 1e6).Draw(r, "value")
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if err := os.WriteFile("a.csv", []byte("flow,T,kind\n1,"+text+",x\n?,"+text+",x\n"), 0o600); err != nil {
			r.Fatal(err)
		}
		spec := inFahrenheit(t, "a.csv")
		spec.Missing = dataset.KeepMissing
		d, err := dataset.LoadOne(spec)
		if err != nil {
			r.Fatal(err)
		}
		x := values(d.Participants[0].Train)
		if x[0][0] != x[1][0] {
			r.Fatalf("%v and %v", x[0][0], x[1][0])
		}
	})
}

// What is recognised of a CSV file holds for columns with other names and units, too.
func TestOwnNamesInEuropeanCSV(t *testing.T) {
	folder(t, "a.csv", "flow;T;kind\n1,5;212,5;x\n2,5;32,0;y\n")
	d, err := dataset.LoadOne(inFahrenheit(t, "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got := values(d.Participants[0].Train); math.Abs(got[0][0]-100.27777777777777) > 1e-12 || got[0][1] != 1.5 {
		t.Errorf("got %v", got)
	}
	if d.Gaps.Forms() == nil {
		t.Errorf("how the file is written is not said: %+v", d)
	}
}

func TestFaultsOfOwnNamesAndUnits(t *testing.T) {
	folder(t, "a.csv", "flow,T,kind,part\n1,212,x,y\n", "b.csv", "flow,T,kind\n1,1e60,x\n2,hot,x\n")
	_, err := dataset.LoadOne(inFahrenheit(t, "a.csv"))
	wantError(t, err, `a.csv: column "part": with columns renamed, "kind" and "part" both have this name; correct rename, or rename the other column, too`)
	spec := inFahrenheit(t, "b.csv")
	spec.Rename = map[string]string{"temperature": "temp"}
	_, err = dataset.LoadOne(spec)
	wantError(t, err, `b.csv: column "temperature": there is no such column to rename; columns are "flow", "T", "kind"`)
	spec = inFahrenheit(t, "b.csv")
	spec.Where = condition("temp=1")
	_, err = dataset.LoadOne(spec)
	wantError(t, err, `b.csv: column "temp": only features can be converted to another unit, and this column is a label, a time or of a condition; leave its unit out, or name another column`)
	spec = inFahrenheit(t, "b.csv")
	_, err = dataset.LoadOne(spec)
	wantError(t, err, `b.csv:3: column "temp": want a number, got "hot"; fix the cell`)
	spec.Convert["temp"] = units.Conversion{Factor: 4}
	_, err = dataset.LoadOne(spec)
	wantError(t, err, `b.csv:2: column "temp": want a number of at most 1e+60 in size, got 4e+60; fix the cell`)
}

// Pixels that are converted are bytes no more.
func TestConvertedPixels(t *testing.T) {
	folder(t, "f-images-idx3-ubyte", idxBytes([]int{2, 1, 1}, 51, 255))
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"f-images-idx3-ubyte"}, Convert: map[string]units.Conversion{"r1c1": {Factor: 1. / 255}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(d.Participants[0].Train); !reflect.DeepEqual(got, [][]float64{{51 * (1. / 255)}, {255 * (1. / 255)}}) {
		t.Errorf("got %v", got)
	}
}
