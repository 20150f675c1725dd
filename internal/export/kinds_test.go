package export

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/model"
)

// kinds maps the name of each mixture to its settings.
var kinds = map[string][]string{
	"ggm":              {"components=3", "lambda=0.03", "rounds=5"},
	"ggm of the paper": {"components=3", "rho=1", "rounds=5"},
	"dem":              {"components=3", "rounds=5"},
	"dem, full":        {"components=2", "rounds=5", "covariance=full"},
	"fedgen":           {"components=2", "covariance=spherical"},
	"fedgen, refined":  {"components=2", "refine=2", "covariance=full"},
	"fedgem":           {"components=2"},
	"fedgem, full":     {"components=2", "covariance=full"},
}

// trained returns the models of three participants, learned with the settings of a kind.
func trained(t *testing.T, name string) (all []*model.Model) {
	t.Helper()
	kind, ok := algorithms.Lookup(name[:min(len(name), len("fedgen"))])
	if !ok {
		if kind, ok = algorithms.Lookup(name[:3]); !ok {
			t.Fatalf("no kind for %q", name)
		}
	}
	a := algorithmtest.New(t, kind, kinds[name]...)
	for _, r := range algorithmtest.Run(t, a, algorithmtest.Clusters(3)) {
		m := &model.Model{
			Manifest: model.Manifest{Kind: kind.Name, Columns: []string{"a", "b"}, Standardise: algorithm.None, TotalRows: r.TotalRows},
			Scaling:  rows.Unscaled(2), Learned: r.Model,
		}
		all = append(all, m)
	}
	return all
}

// The shared files of each kind are the same from every participant. The mixture, a formula on the
// arrays of NPZ and JSON, and the graph give rows the same scores.
func TestEveryKindIsScoredElsewhere(t *testing.T) {
	const n = 30
	z := algorithmtest.Draw(9, n, []float64{0, 1}, []float64{4, 2})
	for name := range kinds {
		all := trained(t, name)
		first := files(t, all[0])
		for _, m := range all[1:] {
			for form, f := range files(t, m) {
				if !bytes.Equal(f.Bytes, first[form].Bytes) {
					t.Errorf("%s: %s of two participants differ", name, form)
				}
			}
		}
		x, err := MixtureOf(all[0], false)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, r := range all[0].Learned.(interface{ Density() *gmm.Mixture }).Density().ComponentRows() {
			total += r
		}
		if math.Abs(total-180) > 0.5 {
			t.Errorf("%s: components have %g rows, want 180", name, total)
		}
		want := x.LogDensities(nil, z)
		var text struct {
			Means      [][]float64     `json:"means"`
			Precisions json.RawMessage `json:"precisions"`
			Weights    []float64       `json:"weights"`
			Covariance string          `json:"covariance"`
		}
		if err := json.Unmarshal(first["json"].Bytes, &text); err != nil {
			t.Fatal(err)
		}
		var precisions any
		if err := json.Unmarshal(text.Precisions, &precisions); err != nil {
			t.Fatal(err)
		}
		near(t, name+": JSON", formula(t, text.Weights, slices.Concat(text.Means...), flat(precisions), text.Covariance == "full", z), want)
		a, err := npz.Open(bytes.NewReader(first["npz"].Bytes), int64(len(first["npz"].Bytes)))
		if err != nil {
			t.Fatal(err)
		}
		arrays := map[string][]float64{}
		for _, name := range []string{"weights", "means", "precisions"} {
			got, err := npz.Get[float64](a, name)
			if err != nil {
				t.Fatal(err)
			}
			arrays[name] = got.Data
		}
		near(t, name+": NPZ", formula(t, arrays["weights"], arrays["means"], arrays["precisions"], text.Covariance == "full", z), want)

		var single []float32
		for _, v := range z.RawMatrix().Data {
			single = append(single, float32(v))
		}
		out, err := decoded(t, first["onnx"].Bytes).Run(map[string]onnxtest.Tensor{"rows": onnxtest.Floats(single, n, 2)})
		if err != nil {
			t.Fatal(err)
		}
		if e := distance(out["log_density"], tensor(want, n)); !(e <= 1e-5) {
			t.Errorf("%s: the graph has an error of %.2g", name, e)
		}
	}
}

// near fails unless each value is within 10⁻¹⁰, relative to its size or to 1 if that is larger.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-10*math.Max(1, math.Abs(w))) {
			t.Errorf("%s: row %d: got %.15g, want %.15g", what, i+1, got[i], w)
		}
	}
}

// formula computes ln Σ_k π_k N(x|μ_k, Λ_k⁻¹) by definition, from matrices or their diagonals.
func formula(t *testing.T, weights, means, precisions []float64, full bool, z *mat.Dense) []float64 {
	t.Helper()
	n, dim := z.Dims()
	out := make([]float64, n)
	for i := range n {
		sum := 0.0
		for k, w := range weights {
			p := mat.NewDense(dim, dim, nil)
			for a := range dim {
				for b := range dim {
					switch {
					case full:
						p.Set(a, b, precisions[(k*dim+a)*dim+b])
					case a == b:
						p.Set(a, a, precisions[k*dim+a])
					}
				}
			}
			d := mat.NewVecDense(dim, nil)
			d.SubVec(z.RowView(i), mat.NewVecDense(dim, means[k*dim:(k+1)*dim]))
			sum += w * math.Sqrt(mat.Det(p)/math.Pow(2*math.Pi, float64(dim))) * math.Exp(-mat.Inner(d, p, d)/2)
		}
		out[i] = math.Log(sum)
	}
	return out
}
