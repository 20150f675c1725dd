package dataset_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// inFahrenheit returns a Spec that reads the column T of a file, in degF, as temp in degC.
func inFahrenheit(t testing.TB, file string) dataset.Spec {
	t.Helper()
	return dataset.Spec{
		Data: []string{file}, Columns: []string{"temp", "flow"}, Rename: map[string]string{"T": "temp", "kind": "part"},
		Units: map[string]dataset.Unit{"temp": {Own: "degF", Agreed: "degC"}},
	}
}

// Columns are renamed and converted in memory, in streams and in scans, also with missing cells.
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
		if _, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
			x := b.X
			n, _ = x.Dims()
			return nil
		}); err != nil || n != 4 {
			t.Errorf("%s: %d rows, %v", file, n, err)
		}
	}
}

// A converted value is the same with and without missing cells elsewhere in its row.
func TestConversionsDoNotDependOnOtherCells(t *testing.T) {
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

// A recognised CSV dialect also applies to columns with other names and units.
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

// The row of units names the unit of a column if node.yaml does not. Otherwise, the two must agree.
func TestTheRowOfUnits(t *testing.T) {
	unit := func(own, agreed string) map[string]dataset.Unit {
		return map[string]dataset.Unit{"temp": {Own: own, Agreed: agreed}, "flow": {Agreed: "m3/h"}}
	}
	const inCelsius, inFahrenheit, unknown = "°C", "[°F]", "[warm]"
	for _, c := range []struct {
		row         string
		own, agreed string
		want        float64
		fault       string
	}{
		{inCelsius, "", "degC", 212, ""},
		{inCelsius, "", "°C", 212, ""},
		{inCelsius, "degC", "degC", 212, ""},
		{inFahrenheit, "", "degC", 100, ""},
		{inFahrenheit, "degF", "degC", 100, ""},
		{"-", "", "degC", 212, ""},
		{"", "degF", "degC", 100, ""},
		{unknown, "degF", "degC", 100, ""},
		{inFahrenheit, "degC", "degC", 0, `a.csv:2: column "temp": the row of units has "[°F]", want degC, as node.yaml says; correct the row, or the unit of this column in units of node.yaml`},
		{unknown, "", "degC", 0, `a.csv:2: column "temp": the row of units has "[warm]", which is unknown, want degC, as agreed; correct the row, or the unit of this column in units of node.yaml`},
		{inFahrenheit, "", "bar", 0, `a.csv:2: column "temp": the row of units has "[°F]": cannot convert degF to bar: degF is a unit of temperature, bar of pressure; correct the row, or the unit of this column in units of node.yaml`},
	} {
		folder(t, "a.csv", "flow,T\nm³/h,"+c.row+"\n1,212\n2,212\n")
		for _, memory := range []int64{0, 1} {
			spec := dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"temp", "flow"}, Rename: map[string]string{"T": "temp"}, Units: unit(c.own, c.agreed), Memory: memory}
			d, err := dataset.LoadOne(spec)
			if c.fault != "" {
				wantError(t, err, c.fault)
				continue
			}
			if err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			x, err := rows.Dense(d.Participants[0].Train)
			if err != nil || math.Abs(x.At(0, 0)-c.want) > 1e-12 || x.At(1, 1) != 2 {
				t.Errorf("%+v: got %v, %v", c, x, err)
			}
			converted := c.row == inFahrenheit && c.own == ""
			if said := strings.Join(d.Gaps.Forms(), ""); strings.HasSuffix(said, "units row skipped: temp converted from degF to degC") != converted {
				t.Errorf("%+v: it says %q", c, said)
			}
		}
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
	spec.Units["temp"] = dataset.Unit{Own: "h", Agreed: "min"}
	_, err = dataset.LoadOne(spec)
	wantError(t, err, `b.csv:2: column "temp": want a number of at most 1e+60 in size, got 6e+61; fix the cell`)
}

// Converted pixels are not stored as bytes.
func TestConvertedPixels(t *testing.T) {
	folder(t, "f-images-idx3-ubyte", idxBytes([]int{2, 1, 1}, 51, 255))
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"f-images-idx3-ubyte"}, Units: map[string]dataset.Unit{"r1c1": {Own: "percent", Agreed: "fraction"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(d.Participants[0].Train); math.Abs(got[0][0]-0.51) > 1e-12 || math.Abs(got[1][0]-2.55) > 1e-12 {
		t.Errorf("got %v", got)
	}
}

// Times and labels in another notation than the file's are refused, whether features are converted
// or not.
func TestDoubtsBesideConvertedColumns(t *testing.T) {
	folder(t, "a.csv", "flow;T;t;label\n1,5;212,5;1;0\n2,5;32,0;1.234;1.0\n")
	for _, units := range []map[string]dataset.Unit{nil, {"T": {Own: "degF", Agreed: "degC"}}} {
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Units: units, Label: "label", Ignore: []string{"t"}})
		wantError(t, err, `a.csv:3: column "label": want a number with the decimal sign ",", got "1.0"; write all numbers with the same decimal sign`)
		_, err = dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Units: units, Time: "t", Window: 2, Ignore: []string{"label"}})
		wantError(t, err, `a.csv:3: column "t": want a number with the decimal sign ",", got "1.234", which could be one of thousands; write it without the ".", or say in node.yaml csv: {thousands: "."}`)
	}
}
