package dataset_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// An unusable label is reported with its place in its file, whatever the other rows are.
func TestLabelFault(t *testing.T) {
	folder(t,
		"d/a.csv", "x,part,kind\n1,train,0\n2,test,1\n3,other,9\n4,test,7\n",
		"d/b.csv", "x,part,kind\n1,test,0\n2,train,5\n",
		"t.csv", "x,part,kind\n1,train,red\n",
		"n.npy", records(sites))
	noMore := func(label float64, train bool) (want, hint string) {
		if label <= 1 || label == 7 && !train {
			return "", ""
		}
		return "want 0 or 1", "mend it"
	}
	for _, c := range []struct {
		spec dataset.Spec
		want string
	}{
		{dataset.Spec{Data: []string{"d"}, Where: condition("part=train"), TestWhere: condition("part=test")}, `d/b.csv:3: column "kind": want 0 or 1, got "5"; mend it`},
		{dataset.Spec{Data: []string{"d"}, TestWhere: condition("part=test")}, `d/a.csv:4: column "kind": want 0 or 1, got "9"; mend it`},
		{dataset.Spec{Data: []string{"d"}, Where: condition("part=test")}, `d/a.csv:5: column "kind": want 0 or 1, got "7"; mend it`},
		{dataset.Spec{Data: []string{"t.csv"}}, `t.csv:2: column "kind": want 0 or 1, got "red"; mend it`},
		{dataset.Spec{Data: []string{"n.npy"}, Label: "temp"}, `n.npy: row 2: column "temp": want 0 or 1, got "2"; mend it`},
	} {
		c.spec.LabelFault = noMore
		if c.spec.Label == "" {
			c.spec.Label = "kind"
		}
		for _, load := range []func(dataset.Spec) (*dataset.Dataset, error){dataset.LoadAll, dataset.LoadOne} {
			for _, c.spec.Memory = range []int64{0, 1} { // in memory, and in the files
				_, err := load(c.spec)
				wantError(t, err, c.want)
			}
		}
	}
}

func TestFirstClass(t *testing.T) {
	folder(t, "d/a.csv", "x,part,fault,name\n1,old,2,a\n2,train,-1,b\n", "d/b.csv", "x,part,fault,name\n1,train,1,a\n2,train,0.5,b\n3,train,3,c\n")
	for label, want := range map[string]string{
		"fault": `d/b.csv:3: column "fault": "0.5"`,
		"name":  `d/a.csv:3: column "name": "b"`,
		"":      "",
	} {
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{"d"}, Label: label, Where: condition("part=train"), Ignore: []string{"name"}})
		if err != nil || d.FirstClass != want {
			t.Errorf("label %q: got %q, %v, want %q", label, d.FirstClass, err, want)
		}
	}
}

// Each of several labels of anomalies is that of a row in some file. One member need not have all.
func TestEachLabelOfAnomaliesIsThere(t *testing.T) {
	folder(t, "a.csv", "x,state\n1,ok\n2,leak\n3,ok\n", "b.csv", "x,state\n1,ok\n2,JAM \n3,ok\n")
	for anomaly, want := range map[string]string{"leak,jam": "", "Jam, leak": "", "leek,jam": "leek", "leak,jam,break": "break"} {
		_, err := dataset.LoadAll(dataset.Spec{Data: []string{"a.csv", "b.csv"}, Label: "state", Anomaly: anomaly, Anomalies: true})
		var fault *dataset.Error
		if (want != "") != errors.As(err, &fault) || want != "" && (fault.Column != "state" || !strings.Contains(fault.Msg, want)) {
			t.Errorf("%s: got %v", anomaly, err)
		}
		if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Label: "state", Anomaly: "leak,jam", Anomalies: true}); err != nil {
			t.Error(err)
		}
	}
}
