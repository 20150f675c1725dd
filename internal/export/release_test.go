package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/rows"
	"github.com/collabdict/collabdict/model"
)

// releasable returns a model of three components in two columns, with rows for each.
func releasable(t *testing.T, kind string, hyper string, counts ...float64) *model.Model {
	t.Helper()
	var precisions []*mat.SymDense
	for range 3 {
		precisions = append(precisions, mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1}))
	}
	m, err := gmm.NewMixture([]float64{0.7, 0.2, 0.1}, mat.NewDense(3, 2, []float64{0, 1, 2, 3, 4, 5}), precisions)
	if err != nil {
		t.Fatal(err)
	}
	out := &model.Model{
		Learned: m.WithRows(counts), Scaling: rows.Scaling{Shift: []float64{10, 20}, Scale: []float64{2, 0.5}},
		Manifest: model.Manifest{
			Kind: kind, Participant: "secret-plant", Columns: []string{"temp", "flow"}, Standardise: "global", Rows: 7654321, TotalRows: 20,
			Threshold: 4.4321, FalseAlarm: 0.01, Digest: "d1ge57", Warnings: []string{"secret-warning"},
			Views: []report.View{{Round: 1, Members: []string{"secret-plant", "plant-b"}}},
		},
	}
	if err := json.Unmarshal([]byte(hyper), &out.Manifest.Hyper); err != nil {
		t.Fatal(err)
	}
	return out
}

const paper = `{"rho": 4, "lambda0": 1, "components": 3}`

// A release has what all share, drawn means, and nothing of its owner: not its weights, threshold or
// numbers of rows, nor the digest of exact totals. It reads as the parameters of a mixture.
func TestAReleaseHasNothingOfItsOwner(t *testing.T) {
	m := releasable(t, "ggm", paper, 30, 0.5, 10)
	r, err := NewRelease(m, 2, 1e-5, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.JSON(m)
	if err != nil {
		t.Fatal(err)
	}
	text := string(f.Bytes)
	for _, secret := range []string{"secret", "plant", "7654321", "4.4321", "d1ge57", "digest", "threshold"} {
		if strings.Contains(text, secret) {
			t.Errorf("the release has %q", secret)
		}
	}
	var fields map[string]any
	if err := json.Unmarshal(f.Bytes, &fields); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"columns", "format", "kind", "means", "precisions", "privacy", "scale", "shift", "standardise", "version", "weights"}; !slices.Equal(names, want) {
		t.Errorf("got fields %q, want %q", names, want)
	}
	p, err := gmm.ReadParameters(bytes.NewReader(f.Bytes))
	if err != nil || !reflect.DeepEqual(p.Weights, []float64{0.75, 0.25}) || !mat.Equal(p.Means, r.Parameters().Means) || p.Means.At(0, 0) == 0 {
		t.Errorf("got %+v, %v", p, err)
	}
	// 2²/2 · ‖Λ‖₂/(1 + 10), with the larger eigenvalue 1.5 + √½; and 2·2²/(2·4) · (10 + 1)/(10 + 1).
	loss := 2 * (1.5 + math.Sqrt(0.5)) / 11
	if math.Abs(r.Spend.ZCDP-loss) > 1e-12 || math.Abs(r.Prior.ZCDP-1) > 1e-12 || r.Components != 2 || r.LeftOut != 1 || r.Rows != 40 || r.Least != 10 {
		t.Errorf("got %+v, want a loss of %g", r, loss)
	}
}

// Where each participant scales its own columns, a release does not say how.
func TestAReleaseHasNoOwnScaling(t *testing.T) {
	m := releasable(t, "dem", `{"covariance": "full"}`, 30, 20, 10)
	m.Manifest.Standardise = own
	r, err := NewRelease(m, 1, 1e-5, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.JSON(m)
	if err != nil || bytes.Contains(f.Bytes, []byte(`"shift"`)) || !strings.Contains(strings.Join(r.Caveats, "\n"), "Each participant has scaled columns by its own rows") {
		t.Errorf("%v: %s", err, f.Bytes)
	}
}

// The prior bounds nothing where precisions are larger than a solution could be.
func TestAPriorThatDoesNotHold(t *testing.T) {
	r, err := NewRelease(releasable(t, "ggm", `{"rho": 1000, "lambda0": 1, "components": 3}`, 30, 20, 10), 2, 1e-5, rand.NewPCG(1, 1))
	if err != nil || r.Prior != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestWhatCannotBeReleased(t *testing.T) {
	old, windowed := releasable(t, "ggm", paper, 30, 20, 10), releasable(t, "ggm", paper, 30, 20, 10)
	old.Learned, windowed.Manifest.Window = old.Learned.(*gmm.Mixture).WithRows(nil), 5
	for want, m := range map[string]*model.Model{
		"of an older program: train again":                        old,
		"a row of the data is in the 5 rows of its windows":       windowed,
		"want the variances that the prior was scaled by":         releasable(t, "ggm", `{"lambda0": 1, "components": 3}`, 30, 20, 10),
		"want a component of at least 1 row":                      releasable(t, "ggm", paper, 0.3, 0.2, 0.1),
		"the model fedgen has no posterior of means to draw from": releasable(t, "fedgen", `{}`, 30, 20, 10),
	} {
		r, err := NewRelease(m, 2, 1e-5, rand.NewPCG(1, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want %q", r, err, want)
		}
		var none *NoPosteriorError
		if errors.As(err, &none) != (m.Manifest.Kind == "fedgen") {
			t.Errorf("got an error of type %T: %[1]v", err)
		}
	}
}
