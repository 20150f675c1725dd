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

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
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

func releaseOf(t *testing.T, m *model.Model) *Mixture {
	t.Helper()
	x, err := ReleaseOf(m, 2, 1e-5, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// releases returns a release in all its forms.
func releases(t *testing.T, m *model.Model) map[string]*File {
	t.Helper()
	all := map[string]*File{}
	for _, form := range []string{"json", "npz", "onnx"} {
		f, err := forms[form](releaseOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		all[form] = f
	}
	return all
}

// A release has the parts that all participants share, and drawn means. It reveals nothing of its
// owner: no weights, threshold or numbers of rows, and no digest of exact totals. It can be read as
// the parameters of a mixture.
func TestAReleaseRevealsNothingOfItsOwner(t *testing.T) {
	m := releasable(t, "ggm", paper, 30, 0.5, 10)
	x, all := releaseOf(t, m), releases(t, m)
	for form, f := range all {
		for _, secret := range []string{"secret", "plant", "7654321", "4.4321", "d1ge57", "digest", "threshold"} {
			if bytes.Contains(f.Bytes, []byte(secret)) {
				t.Errorf("the release has %q as %s", secret, form)
			}
		}
	}
	f, r := all["json"], x.Release
	var fields map[string]any
	if err := json.Unmarshal(f.Bytes, &fields); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"columns", "covariance", "format", "kind", "means", "precisions", "privacy", "scale", "score", "shift", "standardise", "version", "weights", "weights_of"}; !slices.Equal(names, want) {
		t.Errorf("got fields %q, want %q", names, want)
	}
	p, err := gmm.ReadParameters(bytes.NewReader(f.Bytes))
	if err != nil || !reflect.DeepEqual(p.Weights, []float64{0.75, 0.25}) || !mat.Equal(p.Means, x.Means()) || p.Means.At(0, 0) == 0 {
		t.Errorf("got %+v, %v", p, err)
	}
	// 2²/2 · ‖Λ‖₂/(1 + 10), with the larger eigenvalue 1.5 + √½; and 2·2²/(2·4) · (10 + 1)/(10 + 1).
	loss := 2 * (1.5 + math.Sqrt(0.5)) / 11
	if math.Abs(r.Spend.ZCDP-loss) > 1e-12 || math.Abs(r.Prior.ZCDP-1) > 1e-12 || r.Components != 2 || r.LeftOut != 1 || r.Rows != 40 || r.Least != 10 {
		t.Errorf("got %+v, want a loss of %g", r, loss)
	}
}

// If each participant scales its own columns, a release does not contain the scaling.
func TestAReleaseHasNoOwnScaling(t *testing.T) {
	m := releasable(t, "dem", `{"covariance": "full"}`, 30, 20, 10)
	m.Manifest.Standardise = own
	for form, f := range releases(t, m) {
		if bytes.Contains(f.Bytes, []byte("shift")) || form != "npz" && !bytes.Contains(f.Bytes, []byte("Each participant has scaled columns by its own rows")) {
			t.Errorf("%s: %s", form, f.Bytes)
		}
	}
}

// The prior gives no bound if precisions are larger than those of any solution.
func TestAPriorThatDoesNotHold(t *testing.T) {
	x := releaseOf(t, releasable(t, "ggm", `{"rho": 1000, "lambda0": 1, "components": 3}`, 30, 20, 10))
	if x.Release.Prior != nil {
		t.Errorf("got %+v", x.Release)
	}
}

func TestModelsThatCannotBeReleased(t *testing.T) {
	old, windowed := releasable(t, "ggm", paper, 30, 20, 10), releasable(t, "ggm", paper, 30, 20, 10)
	old.Learned, windowed.Manifest.Window = old.Learned.(*gmm.Mixture).WithRows(nil), 5
	for want, m := range map[string]*model.Model{
		"by an older program: train again":                          old,
		"each row of the data is part of the 5 rows of its windows": windowed,
		"want the column variances that scale the prior":            releasable(t, "ggm", `{"lambda0": 1, "components": 3}`, 30, 20, 10),
		"want a component that has at least 1 row":                  releasable(t, "ggm", paper, 0.3, 0.2, 0.1),
		"the model fedgen has no posterior of means to draw from":   releasable(t, "fedgen", `{}`, 30, 20, 10),
	} {
		x, err := ReleaseOf(m, 2, 1e-5, rand.NewPCG(1, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want %q", x, err, want)
		}
		var none *NoPosteriorError
		if errors.As(err, &none) != (m.Manifest.Kind == "fedgen") {
			t.Errorf("got an error of type %T: %[1]v", err)
		}
	}
}

// releasableMixture returns the model of [mixtureOf] with settings that allow a release.
func releasableMixture(t *testing.T, form gmm.Covariance, axes int) *model.Model {
	t.Helper()
	m := mixtureOf(t, form, 6, axes)
	hyper := paper
	if form != gmm.Full {
		m.Manifest.Kind, hyper = "dem", `{"covariance": "`+form.String()+`"}`
	}
	if err := json.Unmarshal([]byte(hyper), &m.Manifest.Hyper); err != nil {
		t.Fatal(err)
	}
	return m
}

func knownRelease(t *testing.T, m *model.Model) known {
	t.Helper()
	return knownAs(t, m, releaseOf(t, m))
}

// The arrays and the JSON of a release have the density that was drawn, and each form has the same
// statement about privacy.
func TestReleasesHaveTheDrawnDensity(t *testing.T) {
	for _, form := range []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical} {
		m := releasableMixture(t, form, 0)
		x, all := releaseOf(t, m), releases(t, m)
		arrays, err := npz.Open(bytes.NewReader(all["npz"].Bytes), int64(len(all["npz"].Bytes)))
		if err != nil {
			t.Fatal(err)
		}
		var of algorithmtest.Arrays
		for _, name := range []string{"weights", "means", "precisions"} {
			a, err := npz.Get[float64](arrays, name)
			if err != nil {
				t.Fatal(err)
			}
			of = append(of, algorithm.Array{Name: name, Shape: a.Shape, Values: a.Data})
		}
		archived, err := gmm.LoadMixture(of, "", form, 6)
		if err != nil {
			t.Fatal(err)
		}
		p, err := gmm.ReadParameters(bytes.NewReader(all["json"].Bytes))
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.Mixture()
		if err != nil {
			t.Fatal(err)
		}
		_, z := given(m, false, 20)
		want := x.LogDensities(nil, z)
		for name, got := range map[string][]float64{"npz": archived.LogDensities(nil, z), "json": text.LogDensities(nil, z)} {
			for i, w := range want {
				if !(math.Abs(got[i]-w) <= 1e-10*math.Abs(w)) {
					t.Errorf("%s as %s: row %d has log density %g, want %g", form, name, i+1, got[i], w)
				}
			}
		}
		manifest, err := arrays.File("manifest.json")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"npz": string(manifest), "json": string(all["json"].Bytes), "onnx": `{"privacy":` + decoded(t, all["onnx"].Bytes).Properties["privacy"] + "}",
		} {
			var told struct{ Privacy *Release }
			if err := json.Unmarshal([]byte(text), &told); err != nil || !reflect.DeepEqual(told.Privacy, x.Release) {
				t.Errorf("%s as %s: got %+v (%v), want %+v", form, name, told.Privacy, err, x.Release)
			}
		}
	}
}

// The same draw gives the same file at each participant, whatever else its model contains.
func TestReleasesFollowFromSharedData(t *testing.T) {
	nothingOfAParticipant(t, func() *model.Model {
		m := mixtureOf(t, gmm.Full, 3, 0)
		if err := json.Unmarshal([]byte(paper), &m.Manifest.Hyper); err != nil {
			t.Fatal(err)
		}
		return m
	}, releases, []string{"Kind", "Columns", "Window", "Standardise", "Normalise", "Covariance", "Hyper"})
}
