package model

import (
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/option"
)

// Rows in the units of the data are scored and explained like rows after Trained, and are not
// modified.
func TestRowsInTheUnitsOfTheData(t *testing.T) {
	m := example(t)
	x := mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})
	given := mat.DenseCopyOf(x)
	scores, err := m.ScoreRows(gmm.Matrix(x))
	if err != nil {
		t.Fatal(err)
	}
	if want := score(m, x); !reflect.DeepEqual(scores, want) {
		t.Errorf("scores %v, want %v", scores, want)
	}
	got, err := m.ExplainRows(x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := mixtureOf(m).Explain(m.Trained(mat.DenseCopyOf(x)))
	if err != nil || !mat.Equal(got.Parts, want.Parts) {
		t.Errorf("contributions %v, want %v (%v)", got.Parts, want.Parts, err)
	}
	if back := m.Trained(got.Expected); !mat.EqualApprox(back, want.Expected, 1e-12) {
		t.Errorf("expected values %v in the coordinates trained on, want %v", back, want.Expected)
	}
	if !mat.Equal(x, given) {
		t.Error("the rows were changed")
	}
}

func TestWhatModelsCannotDo(t *testing.T) {
	x := mat.NewDense(1, 2, nil)
	m := example(t)
	_, err := m.ScoreRows(gmm.Matrix(mat.NewDense(1, 3, nil)))
	refused(t, err, "want rows of 2 columns, got 3")
	_, err = m.ExplainRows(mat.NewDense(1, 3, nil))
	refused(t, err, "want rows of 2 columns, got 3")
	m.Projection = &rows.Projection{}
	_, err = m.ExplainRows(x)
	refused(t, err, "a model of kind ggm with 2 coordinates cannot rank columns")
	_, err = New("ggm", nil, []string{"a"}, m.Learned)
	refused(t, err, "want 2 columns, one per coordinate of the model, got 1")
	c, err := New("cgau", option.Table{}, []string{"a", "b"}, cgau.Trained{Model: cgau.NewModel(cgau.Config{Inputs: 2, Classes: 2, Hidden: []int{3}})})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.ScoreRows(gmm.Matrix(x))
	refused(t, err, "a model of kind cgau is a classifier and gives no scores")
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
