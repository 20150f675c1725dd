package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// awkwardColumns returns 100 rows with one finding in each column but the first.
func awkwardColumns() string {
	var b strings.Builder
	b.WriteString("temp;copy;id;when;fault;valve;const;gap;code;codes;tiny;point;word;text;none\n")
	for i := range 100 {
		temp := fmt.Sprintf("%d,5", (i*37)%23)
		pick := func(at int, special, usual string) string {
			if i%50 == at {
				return special
			}
			return usual
		}
		cells := []string{
			temp, temp, fmt.Sprint(i + 1), fmt.Sprintf("2024-05-17T08:%02d:00Z", i%60), fmt.Sprint(one(i > 90)), fmt.Sprint(i % 2), "7",
			pick(3, "NA", temp), pick(4, "-9999", temp), pick(5, "1e30", pick(6, "-999", temp)), pick(7, "1e-9", temp),
			pick(8, "1.25", temp), pick(9, "oops", temp), "red", "",
		}
		b.WriteString(strings.Join(cells, ";") + "\n")
	}
	return b.String()
}

func TestProfile(t *testing.T) {
	folder(t, "a.csv", awkwardColumns())
	p, err := new(dataset.Spec).Profile("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range p.Findings {
		fmt.Fprintf(&got, "%s %s: %s\n", f.Column, f.Kind, f.Message)
	}
	const want = `copy duplicate: has the values of "temp" in every row
id ordinal: rises by the same step in all 100 rows, as times and numbers of rows do
when time: times such as "2024-05-17T08:00:00Z", so not a feature
fault label: has the name of a label, and only 0, 1 or -1
valve binary: has only 0 and 1
const constant: is 7 in every row
gap missing: 2 cells are missing
code sentinel: -9999 occurs 2 times, first in line 6: far from all other values, so perhaps errors, or written for missing ones
codes sentinel: -999 occurs 2 times, first in line 8, 1e+30 occurs 2 times, first in line 7: far from all other values, so perhaps errors, or written for missing ones
tiny range: sizes are from 1e-09 to 22.5
point decimal: 2 cells are numbers in another way of writing: line 10: want a number with the decimal sign ",", got "1.25"; write all numbers with the same decimal sign
word no-number: 2 cells are no numbers: line 11: want a number, got "oops"; also line 61
text text: text such as "red", so not a feature
none empty: all cells are missing
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	if f := p.Flags.String(); f != "--ignore copy,id,const,none --label fault --missing skip" || p.Flags.TimeColumn != "when" || strings.Join(p.Flags.Keep, " ") != "id fault" {
		t.Errorf("got flags %s, %+v", f, p.Flags)
	}
	if p.Rows != 100 || p.Written != `delimiter ";", decimal sign ","` || p.Columns[7].Missing != 0.02 || *p.Columns[8].Min != -9999 {
		t.Errorf("got %+v", p)
	}
}

// A file can be read with the flags that its profile proposes, once the cells are corrected that are no numbers.
func TestFlagsOfAProfileSuffice(t *testing.T) {
	folder(t, "a.csv", awkwardColumns())
	p, err := new(dataset.Spec).Profile("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	folder(t, "a.csv", strings.NewReplacer("1.25", "1,25", "oops", "").Replace(awkwardColumns()))
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Ignore: p.Flags.Ignore, Label: p.Flags.Label, Missing: p.Flags.Missing})
	if err != nil || dataset.Undeclared(d.Suspects, nil) != nil {
		t.Errorf("got %v, %+v", err, d)
	}
}

// A few cells that are no numbers do not cost a sensor. A column is left out if most of its cells are none.
func TestFewBadCellsLeaveNoColumnOut(t *testing.T) {
	for bad, want := range map[int]string{1: "", 400: "", 1600: "flow"} {
		text := "temp,flow\n"
		for i := range 3000 {
			flow := fmt.Sprint((i*31)%17, ".5")
			if i >= 3000-bad {
				flow = "abc"
			}
			text += fmt.Sprintf("%d.25,%s\n", (i*37)%23, flow)
		}
		folder(t, "a.csv", text)
		p, err := new(dataset.Spec).Profile("a.csv")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Flags.Ignore, " "); got != want {
			t.Errorf("%d of 3000 cells are bad: ignore %q, want %q", bad, got, want)
		}
		if len(p.Findings) != 1 || p.Findings[0].Kind != "no-number" || strings.Contains(p.Findings[0].Advice, "--ignore") != (want != "") {
			t.Errorf("%d of 3000 cells are bad: got %+v", bad, p.Findings)
		}
	}
}

// The figures of a profile are those of the rows in memory, in any format.
func TestProfileFigures(t *testing.T) {
	csv, sites := many(900)
	folder(t, "a.csv", csv, "a.parquet", parquetFile(t, sites), "a.npy", records(sites))
	for _, file := range []string{"a.csv", "a.parquet", "a.npy"} {
		p, err := new(dataset.Spec).Profile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}})
		if err != nil {
			t.Fatal(err)
		}
		x := mat.DenseCopyOf(d.Participants[0].Train.(rows.Matrix))
		j := 0
		for _, c := range p.Columns {
			if c.Type != "number" {
				continue
			}
			values := mat.Col(nil, j, x)
			if c.Name != d.Columns[j] || *c.Min != mat.Min(x.ColView(j)) || *c.Max != mat.Max(x.ColView(j)) || math.Abs(*c.Mean-stat.Mean(values, nil)) > 1e-9 {
				t.Errorf("%s: column %s: got %v, %v, %v", file, c.Name, *c.Min, *c.Mean, *c.Max)
			}
			j++
		}
		if j != len(d.Columns) || p.Rows != 900 {
			t.Errorf("%s: %d columns of numbers, %d rows", file, j, p.Rows)
		}
	}
}

// A profile applies new names and units to its columns, and is otherwise that of the file.
func TestProfileOfOwnNamesAndUnits(t *testing.T) {
	folder(t, "a.csv", "T;flow\n°F;bar\n50,0;1,5\n32,0;2.25\n212,0;?\n", "a.ndjson", "{\"T\": 32}\n{\"T\": 212}\n")
	spec := dataset.Spec{Rename: map[string]string{"T": "temp"}, Units: map[string]dataset.Unit{"temp": {Agreed: "degC"}}}
	p, err := spec.Profile("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	if p.Format != "CSV" || p.Delimiter != ";" || p.Decimal != "," || p.Written != `delimiter ";", decimal sign ",", units row skipped: temp converted from degF to degC` || p.Rows != 3 {
		t.Errorf("got %+v", p)
	}
	temp, flow := p.Columns[0], p.Columns[1]
	is := func(v *float64, want float64) bool { return math.Abs(*v-want) < 1e-9 }
	if temp.Name != "temp" || !is(temp.Min, 0) || !is(temp.Mean, 110./3) || !is(temp.Max, 100) || *flow.Min != 1.5 || *flow.Max != 1.5 || flow.Missing != 1./3 {
		t.Errorf("got %+v: %v, %v, %v; %+v", temp, *temp.Min, *temp.Mean, *temp.Max, flow)
	}
	if !slices.ContainsFunc(p.Findings, func(f dataset.Finding) bool {
		return f.Column == "flow" && f.Kind == "decimal" && strings.Contains(f.Message, `line 4: want a number with the decimal sign ",", got "2.25"`)
	}) {
		t.Errorf("got %+v", p.Findings)
	}
	spec.Units = nil
	if p, err := spec.Profile("a.ndjson"); err != nil || p.Format != "JSON" || p.Columns[0].Name != "temp" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestProfileOfZeros(t *testing.T) {
	folder(t, "a.csv", "temp,zero,serial\n"+strings.Repeat("1.5,0,9007199254740993\n2.5,0,9007199254740995\n", 20))
	p, err := new(dataset.Spec).Profile("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Findings {
		got = append(got, f.Column+" "+f.Kind+": "+f.Message)
	}
	if want := []string{"zero constant: is 0 in every row", "serial ordinal: whole numbers above 9007199254740992 lose digits, as long ids do"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A profile finds what a column holds even if it begins with many missing cells.
func TestProfileOfLateCells(t *testing.T) {
	folder(t, "a.csv", "temp,late,word\n"+strings.Repeat("1.5,?,\n2.5,,NA\n", 200)+"1.5,7,red\n1.5,?,3\n2.5,9,blue\n",
		"b.csv", "temp,late\n"+strings.Repeat("1.5,?\n", 200)+"1.5,7\n",
		"a.ndjson", strings.Repeat(`{"temp":1.5,"late":null,"word":null}`+"\n", 400)+`{"temp":1.5,"late":7,"word":"red"}
{"temp":1.5,"late":null,"word":"3"}
{"temp":2.5,"late":9,"word":"blue"}
`)
	for _, file := range []string{"a.csv", "b.csv", "a.ndjson"} {
		p, err := new(dataset.Spec).Profile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "b.csv" {
			if late := p.Columns[1]; late.Type != "number" || *late.Min != 7 || late.Missing != 200./201 {
				t.Errorf("got %+v", late)
			}
			continue
		}
		late, word := p.Columns[1], p.Columns[2]
		if late.Type != "number" || *late.Min != 7 || *late.Max != 9 || late.Missing != 401./403 || word.Type != "text" || word.Missing != 400./403 {
			t.Errorf("%s: got %+v, %+v", file, late, word)
		}
	}
}

// Lines that repeat the header, and lines of sums, are named, and no column is to be ignored for them.
func TestProfileOfLinesThatAreNoRows(t *testing.T) {
	const header, row = "when,temp,flow\n", "2026-11-29,1.5,2\n2026-11-30,2.5,3\n2026-12-01,1.25,4\n"
	for _, c := range []struct{ text, kind, line string }{
		{header + row + header + row, "header", "line 5"},
		{header + row + "Total:,5.25,9\n", "totals", "line 5"},
		{"temp,flow\n1.5,2\n2.5,3\ntemp,flow\n1,4\n", "header", "line 4"},
		{"temp,flow\n1.5,2\n2.5,3\n1,4\nSumme,9\n", "totals", "line 5"},
	} {
		folder(t, "a.csv", c.text, "a.csv.gz", zipped(t, c.text))
		for _, file := range []string{"a.csv", "a.csv.gz"} {
			p, err := new(dataset.Spec).Profile(file)
			if err != nil {
				t.Fatal(err)
			}
			if f := p.Findings[0]; f.Kind != c.kind || !strings.HasPrefix(f.Message, c.line) || len(p.Flags.Ignore) > 0 {
				t.Errorf("%q: got %+v, %+v", c.text, p.Findings, p.Flags)
			}
		}
	}
}

// Infinities are to be fixed: no file is left without features. Files with one value of one sensor per row are
// named.
func TestProfileSparesFeatures(t *testing.T) {
	folder(t, "a.csv", "temp,flow\n1.5,2\ninf,3\n1,-inf\n2,4\n", "b.csv", "t,tag,value\n2026-03-05 08:00:00,temp,66.1\n2026-03-05 08:00:00,flow,2.6\n")
	for file, kind := range map[string]string{"a.csv": "no-number", "b.csv": "long"} {
		p, err := new(dataset.Spec).Profile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Flags.Ignore) > 0 || !slices.ContainsFunc(p.Findings, func(f dataset.Finding) bool { return f.Kind == kind }) {
			t.Errorf("%s: got %+v, %+v", file, p.Findings, p.Flags)
		}
	}
}
