package dataset_test

import (
	"errors"
	"fmt"
	"math"
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
		if down := slices.Clone(values); slices.IsSorted(values) || sortedDown(down) {
			t.Skip("sorted")
		}
		if got := dataset.SuspectsOf("timestamp", values); got != nil {
			t.Fatalf("got %+v", got)
		}
	})
}

func sortedDown(values []float64) bool {
	slices.Reverse(values)
	return slices.IsSorted(values)
}

// Times are found whatever the name of their column, their steps and their order.
func TestTimesAreSuspects(t *testing.T) {
	for _, c := range []struct {
		name string
		at   func(i float64) float64
		want bool
	}{
		{"a", func(i float64) float64 { return 1772697600.5 + 60.1*i + i*i*0.01 }, true},
		{"a", func(i float64) float64 { return 1772697600500.5 + 60100*i + i*i*0.01 }, true},
		{"a", func(i float64) float64 { return 1772697600 - 60*i }, true},
		{"a", func(i float64) float64 { return 40 - 0.5*i }, false},
		{"a", func(i float64) float64 { return 46086.3333333 + math.Round(i/1440*1e7)/1e7 }, true},
		{"Fecha", func(i float64) float64 { return 46086.3333333 - i*i/1440 }, true},
		{"energy", func(i float64) float64 { return 46086.3333333 + i*i/1440 }, false},
		{"energy", func(i float64) float64 { return 1234.5 + i*i/1440 }, false},
		{"a", func(i float64) float64 { return 40.25 - i*i/1440 }, false},
	} {
		values := make([]float64, 60)
		for i := range values {
			values[i] = c.at(float64(i))
		}
		if got := dataset.SuspectsOf(c.name, values); len(got) > 0 != c.want {
			t.Errorf("%s of %g, %g, ...: got %+v", c.name, values[0], values[1], got)
		}
	}
}

func TestUndeclared(t *testing.T) {
	folder(t, "a.csv", suspectFile(60, 0))
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keep   []string
		column string
		flags  []string
	}{
		{nil, "seconds", []string{"--label is_attack ", "--keep seconds,id,energy,is_attack ", "--ignore seconds,id,energy,is_attack "}},
		{[]string{"seconds", "energy", "is_attack"}, "id", []string{"--ignore id,", "--time-column id ", "--keep id "}},
	} {
		var fault *dataset.Error
		if err := dataset.Undeclared(d.Suspects, c.keep); !errors.As(err, &fault) {
			t.Fatalf("keep %v: got %v", c.keep, err)
		}
		if fault.File != "a.csv" || fault.Column != c.column {
			t.Errorf("keep %v: got %+v", c.keep, fault)
		}
		for _, flag := range c.flags {
			if !strings.Contains(fault.Hint, flag) {
				t.Errorf("keep %v: got %q, want %q in it", c.keep, fault.Hint, flag)
			}
		}
	}
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

// A column whose name and values are those of an answer is asked about, with the flags that declare
// it. Sensors with such values or such names are not, nor is anything new once labels are declared.
func TestAnswers(t *testing.T) {
	normal := func(i int) bool { return i%9 > 0 }
	for _, c := range []struct {
		name            string
		normal, anomaly string
		flags           string // "" if the column is not asked about
		text            bool
	}{
		{"status", "0", "1", "--label status", false},
		{"y", "1", "-1", "--label y --anomaly -1", false},
		{"machine_status", "1", "2", "--label machine_status --anomaly 2", false},
		{"Störung", "0", "1", "--label Störung", false},
		{"Sto\u0308rung", "0", "1", "--label Sto\u0308rung", false},
		{"Défaut", "0", "1", "--label Défaut", false},
		{"panne moteur", "0", "1", "--label 'panne moteur'", false},
		{"AVERÍA", "no", "sí", "--label AVERÍA --anomaly sí", true},
		{"guasto", "0", "1", "--label guasto", false},
		{"changepoint", "0", "1", "--label changepoint", false},
		{"故障", "0", "1", "--label 故障", false},
		{"고장", "0", "1", "--label 고장", false},
		{"Авария", "0", "1", "--label Авария", false},
		{"arıza", "0", "1", "--label arıza", false},
		{"pump trip", "0", "1", "--label 'pump trip'", false},
		{"TWF", "0", "1", "--label TWF", false},
		{"Machine failure", "0", "1", "--label 'Machine failure'", false},
		{"event", "ok", "fault", "--label event --anomaly fault", true},
		{"alarm", "0", "0", "--label alarm", false},
		{"panne", "", "panne", "--label panne --anomaly panne", true},
		{"Alarmstatus", "0", "1", "--label Alarmstatus", false},
		{"ErrorFlag", "0", "1", "--label ErrorFlag", false},
		{"Fehlercode", "0", "7", "--label Fehlercode --anomaly 7", false},
		{"Sammelstörung", "0", "1", "--label Sammelstörung", false},
		{"Maschinenausfall", "0", "1", "--label Maschinenausfall", false},
		{"Ausschuss", "0", "1", "--label Ausschuss", false},
		{"dysfonctionnement", "0", "1", "--label dysfonctionnement", false},
		{"błąd", "0", "1", "--label błąd", false},
		{"hata", "0", "1", "--label hata", false},
		{"код_ошибки", "0", "1", "--label код_ошибки", false},
		{"故障代码", "0", "1", "--label 故障代码", false},
		{"NOK", "0", "1", "--label NOK", false},
		{"is_ok", "1", "0", "--label is_ok --anomaly 0", false},
		{"gut", "1", "0", "--label gut --anomaly 0", false},
		{"not_ok", "0", "1", "--label not_ok", false},
		{"y_true", "0", "1", "--label y_true", false},
		{"ground_truth", "0", "1", "--label ground_truth", false},
		{"outcome", "fail", "pass", "--label outcome --anomaly fail", true}, // although it is more frequent
		{"default_speed", "0", "1", "", false},
		{"defaultspeed", "0", "1", "", false},
		{"io_1", "0", "1", "", false},
		{"Spannelement", "0", "1", "", false},
		{"Abfallanlage", "0", "1", "", false},
		{"status", "0", "0", "", false},
		{"valve_status", "0", "1", "", false},
		{"acc_y", "0", "1", "", false},
		{"pump", "0", "1", "", false},
		{"place", "here", "there", "", false},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "temp,%s\n", c.name)
		for i := range 40 {
			label := c.anomaly
			if normal(i) {
				label = c.normal
			}
			fmt.Fprintf(&b, "%d.5,%s\n", i%7, label)
		}
		folder(t, "a.csv", b.String())
		for _, memory := range []int64{0, 1} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Memory: memory})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			switch {
			case c.flags == "":
				if len(d.Suspects) > 0 {
					t.Errorf("%s: got %+v", c.name, d.Suspects)
				}
				continue
			case len(d.Suspects) != 1 || !d.Suspects[0].Label || d.Suspects[0].Text != c.text:
				t.Errorf("%s: got %+v", c.name, d.Suspects)
				continue
			}
			var fault *dataset.Error
			if err := dataset.Undeclared(d.Suspects, nil); !errors.As(err, &fault) || fault.File != "a.csv" || fault.Column != c.name || !strings.Contains(fault.Hint, c.flags+" ") {
				t.Errorf("%s: got %v, want %s", c.name, err, c.flags)
			}
		}
		p, err := new(dataset.Spec).Profile("a.csv")
		if err != nil {
			t.Fatal(err)
		}
		if asked := p.Flags.Label != ""; asked != (c.flags != "") || asked && !strings.HasSuffix(p.Flags.String(), c.flags) {
			t.Errorf("%s: check proposes %q, want %q", c.name, p.Flags.String(), c.flags)
		}
	}
	folder(t, "b.csv", "temp,fault,alarm\n1,0,0\n2,1,1\n3,0,1\n")
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"b.csv"}, Label: "fault"})
	if err != nil || len(d.Suspects) > 0 {
		t.Errorf("with a label: got %v, %+v", err, d)
	}
}

// A column with the name of a label and a few values is asked about if most of them are 0, or if a word says
// normal. Classes, and few values of a sensor, are not.
func TestAnswersOfSeveralValues(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string // every tenth row has one after the other, and others have the first
		every  bool     // values take turns
		flags  string
	}{
		{"fault_code", []string{"0", "2", "3"}, false, "--label fault_code --anomaly 2,3"},
		{"label", []string{"Normal", "Attack", "A ttack"}, false, "--label label --anomaly 'A ttack,Attack'"},
		{"state", []string{"OK", "NOK", "Nok", "nok"}, false, "--label state --anomaly NOK"},
		{"fault_code", []string{"0", "2", "3"}, true, ""},
		{"label", []string{"cat", "dog", "cow"}, true, ""},
		{"gear", []string{"0", "2", "3"}, false, ""},
		{"fault_code", []string{"0", "2", "3", "4", "5", "6", "7", "8", "9"}, false, ""},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "temp,%s\n", c.name)
		for i := range 100 {
			value := c.values[0]
			if c.every {
				value = c.values[i%len(c.values)]
			} else if i%10 == 9 {
				value = c.values[1+i/10%(len(c.values)-1)]
			}
			fmt.Fprintf(&b, "%d.5,%s\n", i%7, value)
		}
		folder(t, "a.csv", b.String())
		p, err := new(dataset.Spec).Profile("a.csv")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Flags.String(); got != c.flags {
			t.Errorf("%s of %v: got %q, want %q", c.name, c.values, got, c.flags)
		}
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}})
		if err != nil || len(d.Suspects) != one(c.flags != "") {
			t.Errorf("%s of %v: got %v, %+v", c.name, c.values, err, d.Suspects)
		}
	}
}

// An axis y is a sensor.
func TestAxisIsNoAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(-5, 5), 3, 19, rapid.ID[float64]).Draw(t, "values")
		if got := dataset.SuspectsOf("y", values); got != nil {
			t.Fatalf("got %+v", got)
		}
	})
}
