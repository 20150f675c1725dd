package dataset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// labelled returns n rows whose values are their numbers, with every fifth labelled as an anomaly.
func labelled(n int, normal, anomaly string) string {
	var b strings.Builder
	b.WriteString("x,label,split\n")
	for i := range n {
		label, split := normal, "train"
		if i%5 == 4 {
			label = anomaly
		}
		if i >= n/2 {
			split = "test"
		}
		fmt.Fprintf(&b, "%d,%s,%s\n", i, label, split)
	}
	return b.String()
}

// valuesOf returns the first column of rows.
func valuesOf(t *testing.T, p dataset.Participant, test bool) []float64 {
	t.Helper()
	of := p.Train
	if test {
		of = p.Test
	}
	x, err := rows.Dense(of)
	if err != nil {
		t.Fatal(err)
	}
	return mat.Col(nil, 0, x)
}

// Known anomalies do not train, and all labelled rows are tested on unless a condition selects the test
// rows. It does not matter how anomalies are written, or whether rows stay on disk.
func TestKnownAnomaliesDoNotTrain(t *testing.T) {
	for _, c := range []struct{ normal, anomaly, value string }{
		{"0", "1", ""},
		{"-1", "1", "1"},
		{"1", "-1", "-1"},
		{"1.0", "-1.0", "-1"},
		{"ok", "fault", "fault"},
		{"2", "7", "7"},
		{"OK", "Nok", "NOK"},
		{"OK", "nok", "Leak, NOK "},
		{"0", "2", "2,3"},
		{"0", "2.0", "3,2"},
	} {
		folder(t, "a.csv", labelled(10, c.normal, c.anomaly), "a.csv.gz", zipped(t, labelled(10, c.normal, c.anomaly)))
		for _, file := range []string{"a.csv", "a.csv.gz"} {
			for _, memory := range []int64{0, 1} {
				spec := dataset.Spec{Data: []string{file}, Name: "a", Label: "label", Anomaly: c.value, Anomalies: true, Normal: true, Memory: memory, Folder: t.TempDir()}
				d, err := dataset.LoadOne(spec)
				if err != nil {
					t.Fatal(err)
				}
				p := d.Participants[0]
				if got := valuesOf(t, p, false); !slices.Equal(got, []float64{0, 1, 2, 3, 5, 6, 7, 8}) || len(p.TrainLabels) != 8 || slices.Contains(p.TrainLabels, 1) {
					t.Errorf("%+v: trains on %v with %v", c, got, p.TrainLabels)
				}
				if got := valuesOf(t, p, true); len(got) != 10 || p.TestLabels[4] != 1 || p.TestLabels[9] != 1 || p.KnownAnomalies() != 2 {
					t.Errorf("%+v: tests on %v with %v", c, got, p.TestLabels)
				}
				spec.TestWhere = condition("split=test")
				if d, err = dataset.LoadOne(spec); err != nil {
					t.Fatal(err)
				}
				p = d.Participants[0]
				if got, test := valuesOf(t, p, false), valuesOf(t, p, true); !slices.Equal(got, []float64{0, 1, 2, 3}) || !slices.Equal(test, []float64{5, 6, 7, 8, 9}) {
					t.Errorf("%+v: trains on %v and tests on %v", c, got, test)
				}
			}
		}
	}
}

// Windows that hold a known anomaly do not train either. Rows that were written for another process
// are left out there in the same way.
func TestWindowsOfKnownAnomalies(t *testing.T) {
	folder(t, "a.csv", labelled(12, "0", "1"))
	spec := dataset.Spec{Data: []string{"a.csv"}, Label: "label", Anomalies: true, Normal: true, Window: 3}
	want := []float64{0, 1, 2, 3, 7, 8}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := valuesOf(t, d.Participants[0], false); !slices.Equal(got, want) {
		t.Errorf("trains on %v, want %v", got, want)
	}
	again, err := dataset.Write("b.csv", d.Participants[0])
	if err != nil {
		t.Fatal(err)
	}
	again.Anomalies, again.Normal, again.Window = true, true, 3
	if d, err = dataset.LoadOne(again); err != nil {
		t.Fatal(err)
	}
	if got, test := valuesOf(t, d.Participants[0], false), valuesOf(t, d.Participants[0], true); !slices.Equal(got, want) || len(test) != 12 {
		t.Errorf("written and read: trains on %v and tests on %v", got, test)
	}
}

// A file whose labels tell anomalies in another way than those of the others is refused, unless all ways are named.
func TestLabelsOfSeveralKinds(t *testing.T) {
	folder(t, "a.csv", labelled(10, "0", "1"), "b.csv", labelled(10, "OK", "NOK"), "c.csv", labelled(10, "0", "1"), "d.csv", labelled(10, "ok", "ok"))
	spec := dataset.Spec{Data: []string{"a.csv", "b.csv", "c.csv", "d.csv"}, Label: "label", Anomaly: "NOK", Anomalies: true, Normal: true}
	var fault *dataset.Error
	if _, err := dataset.LoadAll(spec); !errors.As(err, &fault) || fault.File != "a.csv" || fault.Column != "label" {
		t.Errorf("got %v", err)
	}
	spec.Anomaly = "1,NOK"
	d, err := dataset.LoadAll(spec)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 2, 2, 0} {
		if p := d.Participants[i]; p.KnownAnomalies() != want {
			t.Errorf("%s: %d anomalies, want %d", p.Name, p.KnownAnomalies(), want)
		}
	}
}

// Classes train, whatever their numbers.
func TestClassesTrain(t *testing.T) {
	folder(t, "a.csv", "x,label\n1,0\n2,1\n3,2\n", "b.csv", "x,label\n1,0\n2,1\n3,1\n")
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"a.csv", "b.csv"}, Label: "label", Anomalies: true, Normal: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Participants {
		if got := valuesOf(t, p, false); len(got) != 3 || p.KnownAnomalies() != 0 {
			t.Errorf("%s: trains on %v", p.Name, got)
		}
	}
}

// Labels that do not say which of them means an anomaly are refused, and so is a value that no row has.
func TestAmbiguousLabels(t *testing.T) {
	for _, c := range []struct {
		labels, anomaly string
		sound           bool
	}{
		{"1,-1,1", "", false},
		{"1,-1,1", "-1", true},
		{"1,1,1", "-1", true}, // a participant without anomalies
		{"0,-1,1", "", true},
		{"-1,-1,0", "", true},
		{"ok,ok,fault", "", false},
		{"ok,ok,ok", "", false},
		{"ok,ok,ok", "fault", true},
		{"ok,worn,ok", "fault", false},
		{"ok,,fault", "fault", true}, // an empty cell is normal
		{"fault,,", "fault", true},
		{"fault,,", "", false},
		{"1,,", "1", true},
		{"1,,", "", false},
		{"Y,N,N", "", false},
		{"Y,N,N", "Y", true},
		{"VRAI,FAUX,FAUX", "", false},
		{"да,нет,нет", "", false},
		{"n.i.O.,i.O.,i.O.", "", false},
		{"true,false,false", "", false},
		{"a,b,c", "", true},
		{"oak,ash,elm", "", true},
	} {
		text := "x,label\n"
		for i, label := range strings.Split(c.labels, ",") {
			text += fmt.Sprintf("%d,%s\n", i, label)
		}
		folder(t, "a.csv", text)
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Label: "label", Anomaly: c.anomaly, Anomalies: true})
		var fault *dataset.Error
		if c.sound && err != nil || !c.sound && (!errors.As(err, &fault) || fault.File != "a.csv" || fault.Column != "label" || !strings.Contains(fault.Hint, "--anomaly")) {
			t.Errorf("%q, anomaly %q: got %v", c.labels, c.anomaly, err)
		}
	}
}

// If most rows to train on are labelled 1, it may mean a normal row: the user is to say which.
func TestMostlyAnomalies(t *testing.T) {
	for _, c := range []struct {
		labels  string
		anomaly string
		sound   bool
	}{
		{"1,1,1,0", "", false},
		{"1,1,1,0", "0", true},
		{"1,1,1,0", "1", true},
		{"1,1,0,0", "", true},
		{"1,1,1,2", "", true}, // classes
	} {
		text := "x,label\n"
		for i, label := range strings.Split(c.labels, ",") {
			text += fmt.Sprintf("%d,%s\n", i, label)
		}
		folder(t, "a.csv", text)
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Label: "label", Anomaly: c.anomaly, Anomalies: true, Normal: true})
		var fault *dataset.Error
		if c.sound && err != nil || !c.sound && (!errors.As(err, &fault) || fault.Column != "label" || !strings.Contains(fault.Hint, "--anomaly 0")) {
			t.Errorf("%q, anomaly %q: got %v", c.labels, c.anomaly, err)
		}
	}
	folder(t, "b.csv", "x,label,split\n1,0,train\n2,0,train\n3,1,test\n4,1,test\n5,1,test\n")
	if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"b.csv"}, Label: "label", Anomalies: true, Normal: true, TestWhere: condition("split=test")}); err != nil {
		t.Errorf("anomalies among the test rows: %v", err)
	}
}
