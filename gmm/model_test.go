package gmm_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
)

func mixtures(t *testing.T) (out []*gmm.Mixture) {
	t.Helper()
	weights, means := []float64{0.25, 0.75}, mat.NewDense(2, 2, []float64{0, 1, 2, 3})
	full, err := gmm.NewMixture(weights, means, []*mat.SymDense{mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1}), mat.NewSymDense(2, []float64{1, 0, 0, 4})})
	if err != nil {
		t.Fatal(err)
	}
	out = append(out, full)
	for _, form := range []gmm.Covariance{gmm.Diag, gmm.Spherical} {
		precisions := mat.NewDense(2, 2, []float64{2, 2, 0.3, 0.3})
		if form == gmm.Diag {
			precisions.Set(0, 1, 7)
		}
		m, err := gmm.NewDiagMixture(form, weights, means, precisions)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// The form of the covariance matrices, and the scores, survive writing and reading.
func TestArraysAreRead(t *testing.T) {
	for _, m := range mixtures(t) {
		form, err := gmm.ParseCovariance(m.Form().String())
		if err != nil {
			t.Fatal(err)
		}
		got, err := gmm.LoadMixture(algorithmtest.Arrays(m.ArraysNamed("own_")), "own_", form, 2)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%v: got %+v, want %+v; %v", form, got, m, err)
		}
	}
	if _, err := gmm.ParseCovariance("banded"); err == nil || err.Error() != `want full, diag or spherical, got "banded"` {
		t.Errorf("got %v", err)
	}
}

func TestArraysOfNoMixture(t *testing.T) {
	for want, change := range map[string]func(a algorithmtest.Arrays) algorithmtest.Arrays{
		"weights: no such array": func(a algorithmtest.Arrays) algorithmtest.Arrays { return a[:2] },
		"weights: want at least 1": func(a algorithmtest.Arrays) algorithmtest.Arrays {
			a[2].Values, a[2].Shape = []float64{}, []int{0}
			return a
		},
		"weights: want a sum of 1":           func(a algorithmtest.Arrays) algorithmtest.Arrays { a[2].Values[0] = 0; return a },
		"means: want shape [2 2], got [1 4]": func(a algorithmtest.Arrays) algorithmtest.Arrays { a[0].Shape = []int{1, 4}; return a },
		"means: component 2: want finite":    func(a algorithmtest.Arrays) algorithmtest.Arrays { a[0].Values[3] = math.Inf(1); return a },
		"precisions: component 1: want":      func(a algorithmtest.Arrays) algorithmtest.Arrays { a[1].Values[0] = -1; return a },
		"precisions: component 1: want a":    func(a algorithmtest.Arrays) algorithmtest.Arrays { a[1].Values[0] = math.NaN(); return a },
		"precisions: component 2: want": func(a algorithmtest.Arrays) algorithmtest.Arrays {
			a[1].Values[len(a[1].Values)-1] = math.Inf(1)
			return a
		},
	} {
		for _, m := range mixtures(t) {
			_, err := gmm.LoadMixture(change(m.Arrays()), "", m.Form(), 2)
			if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSuffix(want, " a")) {
				t.Errorf("%v: got %v, want %s", m.Form(), err, want)
			}
		}
	}
	full := mixtures(t)[0].Arrays()
	for want, values := range map[string][]float64{
		"want a symmetric matrix":         {2, 0.5, 0.4, 1, 1, 0, 0, 4},
		"want a positive definite matrix": {1e308, 9e307, 9e307, 1, 1, 0, 0, 4},
		"of finite values":                {2, math.Inf(1), math.Inf(1), 1, 1, 0, 0, 4},
	} {
		full[1].Values = values
		if _, err := gmm.LoadMixture(algorithmtest.Arrays(full), "", gmm.Full, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", values, err, want)
		}
	}
	full[1].Values = []float64{1e308, 9e307, 9e307, 1.7e308, 1, 0, 0, 4}
	if _, err := gmm.LoadMixture(algorithmtest.Arrays(full), "", gmm.Full, 2); err != nil {
		t.Logf("large precisions: %v", err)
	}
}
