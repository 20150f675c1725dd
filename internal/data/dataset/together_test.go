package dataset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// The flags for several files suit all of them: what differs is ignored, and what varies in some file is not.
func TestFlagsForSeveralFilesSuffice(t *testing.T) {
	file := func(f int) string {
		var b strings.Builder
		b.WriteString("n,temp,flow,valve,odd,fault")
		if f == 1 {
			b.WriteString(",extra")
		}
		for i := range 30 {
			flow, odd, temp := fmt.Sprint(i*i%11), fmt.Sprint(i*i*i%13), fmt.Sprint(i*7%9)
			if f == 0 {
				flow = "5" // constant in this file only
			}
			if f == 2 {
				odd = "x"
			}
			if f == 1 && i == 3 {
				temp = ""
			}
			fmt.Fprintf(&b, "\n%d,%s,%s,%d,%s,%d", i, temp, flow, i%2, odd, one(i == 20))
			if f == 1 {
				b.WriteString(",1.5")
			}
		}
		return b.String() + "\n"
	}
	folder(t, "d/a.csv", file(0), "d/b.csv.gz", zipped(t, file(1)), "d/c.csv", file(2))
	var profiles []*dataset.Profile
	for _, path := range []string{"d/a.csv", "d/b.csv.gz", "d/c.csv"} {
		p, err := new(dataset.Spec).Profile(path)
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	c := dataset.Together(profiles)
	if c.Rows != 90 || !slices.Equal(c.Columns, []string{"n", "temp", "flow", "valve", "odd", "fault"}) || c.Missing != 1.0/(6*90) {
		t.Errorf("got %+v", c)
	}
	if !slices.Equal(c.Flags.Ignore, []string{"n", "odd", "extra"}) || c.Flags.Label != "fault" || c.Flags.Missing != dataset.SkipMissing || c.Flags.TimeColumn != "n" {
		t.Errorf("got %+v", c.Flags)
	}
	i := slices.IndexFunc(c.Findings, func(f dataset.CommonFinding) bool { return f.Kind == "absent" })
	if i < 0 || c.Findings[i].Column != "extra" || !slices.Equal(c.Findings[i].Files, []string{"d/a.csv", "d/c.csv"}) {
		t.Errorf("got %+v", c.Findings)
	}
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"d"}, Ignore: c.Flags.Ignore, Label: c.Flags.Label, Missing: c.Flags.Missing})
	if err != nil || dataset.Undeclared(d.Suspects, nil) != nil || !slices.Equal(d.Columns, []string{"temp", "flow", "valve"}) {
		t.Errorf("got %v, %+v", err, d)
	}
}

// A finding about cells of several files counts those of all, and leaves the files' own findings as they are.
func TestCellsOfSeveralFilesAreCounted(t *testing.T) {
	file := func(missing int) string {
		text := "temp,flow\n"
		for i := range 20 {
			temp := fmt.Sprint(i * 7 % 9)
			if i < missing {
				temp = ""
			}
			text += fmt.Sprintf("%s,%d\n", temp, i*i%11)
		}
		return text
	}
	folder(t, "a.csv", file(6), "b.csv", file(1), "c.csv", file(0), "d.csv", file(3))
	var profiles []*dataset.Profile
	for _, path := range []string{"a.csv", "b.csv", "c.csv", "d.csv"} {
		p, err := new(dataset.Spec).Profile(path)
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	for range 2 {
		c := dataset.Together(profiles)
		if len(c.Findings) != 1 || len(c.Findings[0].Files) != 3 || !strings.HasPrefix(c.Findings[0].Message, "10 cells ") {
			t.Errorf("got %+v", c.Findings)
		}
	}
	if m := profiles[0].Findings[0].Message; !strings.HasPrefix(m, "6 cells ") {
		t.Errorf("the first file has %q", m)
	}
}

// Flags can be typed as they are printed, whatever the names of columns are.
func TestFlagsAreQuoted(t *testing.T) {
	f := dataset.Flags{Ignore: []string{"Öltemperatur [°C]", "n"}, Label: "is fault", Anomaly: "it's", TimeColumn: "Zeit (UTC)", Keep: []string{"Nr. 1", "n"}}
	if got, want := f.String(), `--ignore 'Öltemperatur [°C],n' --label 'is fault' --anomaly 'it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := f.ForWindow()+" "+f.ToKeep(), `--time-column 'Zeit (UTC)' --keep 'Nr. 1,n'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	folder(t, "f.csv", "Öltemperatur [°C],flow\n1,2\nx,3\n2,4\n3,5\n")
	_, err := dataset.LoadAll(dataset.Spec{Data: []string{"f.csv"}})
	wantError(t, err, `f.csv:3: column "Öltemperatur [°C]": want a number, got "x"; fix the cell, or leave the column out with --ignore 'Öltemperatur [°C]'`)
}

// Flags name the anomalies of all files, and no label if an anomaly of one file is normal in another.
func TestLabelsOfFilesTogether(t *testing.T) {
	for _, c := range []struct {
		normal, anomaly []string // by file
		flags           string
		differ          []string // files
	}{
		{[]string{"0", "0"}, []string{"1", "1"}, "--label label", nil},
		{[]string{"0", "0"}, []string{"1", "0"}, "--label label", nil},
		{[]string{"OK", "ok"}, []string{"NOK", "Nok"}, "--label label --anomaly NOK,Nok", nil},
		{[]string{"0", "OK", "0"}, []string{"1", "NOK", "1"}, "--label label --anomaly 1,NOK", []string{"1.csv"}},
		{[]string{"a", "b"}, []string{"b", "a"}, "", []string{"1.csv"}},
	} {
		var profiles []*dataset.Profile
		for i := range c.normal {
			text := "x,label\n"
			for j := range 40 {
				label := c.normal[i]
				if j%10 == 9 {
					label = c.anomaly[i]
				}
				text += fmt.Sprintf("%d.5,%s\n", j*j%11, label)
			}
			name := fmt.Sprintf("%d.csv", i)
			folder(t, name, text)
			p, err := new(dataset.Spec).Profile(name)
			if err != nil {
				t.Fatal(err)
			}
			profiles = append(profiles, p)
		}
		all := dataset.Together(profiles)
		if got := all.Flags.String(); got != c.flags {
			t.Errorf("%v: got %q, want %q", c.anomaly, got, c.flags)
		}
		i := slices.IndexFunc(all.Findings, func(f dataset.CommonFinding) bool { return f.Kind == "labels" })
		if i < 0 != (c.differ == nil) || i >= 0 && !slices.Equal(all.Findings[i].Files, c.differ) {
			t.Errorf("%v: got %+v", c.anomaly, all.Findings)
		}
	}
}

// Files with less than a fifth of the median number of rows are named.
func TestShortFiles(t *testing.T) {
	for _, c := range []struct {
		rows []int
		want []string
	}{
		{[]int{100, 100, 100}, nil},
		{[]int{100, 20, 100}, nil},
		{[]int{100, 19, 100, 100, 3}, []string{"b", "e"}},
		{[]int{100, 19}, []string{"b"}},
	} {
		var profiles []*dataset.Profile
		for i, n := range c.rows {
			profiles = append(profiles, &dataset.Profile{File: "abcde"[i : i+1], Rows: n})
		}
		var got []string
		for _, f := range dataset.Together(profiles).Findings {
			if f.Kind == "short" {
				got = f.Files
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v rows: short are %v, want %v", c.rows, got, c.want)
		}
	}
}
