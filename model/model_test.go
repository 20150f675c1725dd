package model

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/run/report"
)

func example(t testing.TB) *Model {
	t.Helper()
	mixture, err := gmm.NewMixture([]float64{0.25, 0.75}, mat.NewDense(2, 2, []float64{0, 1, 2, 3}),
		[]*mat.SymDense{mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1}), mat.NewSymDense(2, []float64{1, 0, 0, 4})})
	if err != nil {
		t.Fatal(err)
	}
	return &Model{
		Learned: mixture, Scaling: rows.Scaling{Shift: []float64{10, 20}, Scale: []float64{2, 0.5}},
		Manifest: Manifest{
			Kind: "ggm", Participant: "plant-a", Columns: []string{"temp", "flow"}, Standardise: "own",
			Threshold: 4, FalseAlarm: 0.01, Rounds: 3, Objective: report.Of(-12.5), Rows: 7, TotalRows: 20,
			Views: []report.View{{Round: 1, Members: []string{"plant-a", "plant-b"}, Missing: []report.Missing{}}},
		},
	}
}

func TestWrittenFilesAreRead(t *testing.T) {
	m := example(t)
	path := filepath.Join(t.TempDir(), "sub", "model.npz")
	if err := WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(path)
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Manifest, m.Manifest) || !reflect.DeepEqual(got.Scaling, m.Scaling) {
		t.Errorf("got %+v, want %+v", got.Manifest, m.Manifest)
	}
	rows := mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})
	if !reflect.DeepEqual(score(got, rows), score(m, rows)) {
		t.Error("the model that is read scores otherwise")
	}
	if err := WriteFile(path, got); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("writing it again gives other bytes")
	}
}

// The variances of a prior are in the file; other priors have none.
func TestPriorVariancesAreRead(t *testing.T) {
	write := func(variances []float64) (*Model, error) {
		m := example(t)
		m.PriorVariances = variances
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		return Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	}
	for _, variances := range [][]float64{nil, {0.25, 2}} {
		if got, err := write(variances); err != nil || !slices.Equal(got.PriorVariances, variances) {
			t.Errorf("got %+v, %v, want %v", got, err, variances)
		}
	}
	for _, variances := range [][]float64{{1}, {1, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if got, err := write(variances); err == nil {
			t.Errorf("%v: got %+v", variances, got)
		}
	}
}

// The file keeps the form of the covariance matrices, and so the way in which scores are
// computed.
func TestDiagonalMixturesAreRead(t *testing.T) {
	for _, form := range []gmm.Covariance{gmm.Diag, gmm.Spherical} {
		precisions := mat.NewDense(2, 2, []float64{2, 2, 0.3, 0.3})
		if form == gmm.Diag {
			precisions.Set(0, 1, 7)
		}
		mixture, err := gmm.NewDiagMixture(form, []float64{0.25, 0.75}, mat.NewDense(2, 2, []float64{0, 1, 2, 3}), precisions)
		if err != nil {
			t.Fatal(err)
		}
		m := example(t)
		m.Learned, m.Manifest.Kind, m.Manifest.Hyper = mixture, "fedgen", Hyper{"covariance": form.String()}
		path := filepath.Join(t.TempDir(), "model.npz")
		if err := WriteFile(path, m); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rows := mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})
		if mixtureOf(got).Form() != form || got.Manifest.Covariance != form.String() || !reflect.DeepEqual(score(got, rows), score(m, rows)) {
			t.Errorf("%v: got %v, %+v", form, mixtureOf(got).Form(), got.Manifest)
		}
	}
}

// A participant's components keep their clusters.
func TestOwnComponentsAreRead(t *testing.T) {
	m := example(t)
	own, err := gmm.NewMixture([]float64{0.5, 0.25, 0.25}, mat.NewDense(3, 2, []float64{0, 1, 2, 3, 2, 3}),
		[]*mat.SymDense{mixtureOf(m).Precision(0), mixtureOf(m).Precision(1), mixtureOf(m).Precision(1)})
	if err != nil {
		t.Fatal(err)
	}
	m.Learned, m.Manifest.Kind = &fedgem.Model{Mixture: mixtureOf(m), Own: own, Of: []int{0, 1, 1}}, "fedgem"
	m.Manifest.Hyper = Hyper{"covariance": "full"}
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(3, 2, []float64{0, 1, 2, 3, 3, 4})
	if !reflect.DeepEqual(got.Clusterer().OwnClusters(), []int{0, 1, 1}) || !reflect.DeepEqual(got.Assign(rows), []int{0, 1, 1}) {
		t.Errorf("got %v, %v", got.Clusterer().OwnClusters(), got.Assign(rows))
	}
}

func mixtureOf(m *Model) *gmm.Mixture { return m.Learned.(*gmm.Mixture) }

func TestFilesThatAreNoModel(t *testing.T) {
	dir := t.TempDir()
	file := func(content func(*npz.Writer)) string {
		var b bytes.Buffer
		w := npz.NewWriter(&b)
		content(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "m.npz")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	manifestOf := func(text string) func(*npz.Writer) {
		return func(w *npz.Writer) {
			if err := w.File("manifest.json", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const good = `"format":"collabdict model","version":1,"kind":"ggm"`
	for want, content := range map[string]func(*npz.Writer){
		`"manifest.json"`:                        func(*npz.Writer) {},
		"manifest.json: invalid":                 manifestOf("x"),
		`want format "collabdict model", got ""`: manifestOf("{}"),
		"want model version 1 or 2, got 3; use the release of collabdict that wrote it": manifestOf(`{"format":"collabdict model","version":3}`),
		"pca: want 1 to 1 axes, each with its variance, got 2 with 0":                   manifestOf(`{"format":"collabdict model","version":2,"kind":"ggm","columns":["a"],"pca":{"axes":2}}`),
		`want a model of kind ggm, fedgen, dem, fedgem, mtvae, bvae or cgau, got "vae"`: manifestOf(`{"format":"collabdict model","version":1,"kind":"vae"}`),
		`covariance: want full, diag or spherical, got "banded"`: func(w *npz.Writer) {
			manifestOf(`{"format":"collabdict model","version":1,"kind":"dem","columns":["a"],"covariance":"banded"}`)(w)
			for name, shape := range map[string][]int{"weights": {1}, "means": {1, 1}} {
				if err := npz.Put(w, name, npz.Array[float64]{Shape: shape, Data: []float64{1}}); err != nil {
					t.Fatal(err)
				}
			}
		},
		"window: want columns with their means and deviations over 3 rows, got other columns":  manifestOf("{" + good + `,"columns":["a"],"window":3}`),
		"window: want columns with their means and deviations over -1 rows, got other columns": manifestOf("{" + good + `,"columns":["a"],"window":-1}`),
		"window: want columns with their means and deviations over 99999 rows":                 manifestOf("{" + good + `,"columns":["a","a (mean of 99999)","a (deviation of 99999)"],"window":99999}`),
		`want names without characters that cannot be seen, got "a\u202eb"`:                    manifestOf("{" + good + `,"columns":["a\u202eb"]}`),
		`want names without characters that cannot be seen, got "\x1b[2J"`:                     manifestOf("{" + good + `,"participant":"\u001b[2J","columns":["a"]}`),
		"want at least one column": manifestOf("{" + good + "}"),
		`"weights.npy"`:            manifestOf("{" + good + `,"columns":["a"]}`),
	} {
		_, err := ReadFile(file(content))
		var typed *Error
		if !errors.As(err, &typed) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such model file") {
		t.Errorf("got %v", err)
	}
}

// Rows along principal axes: a model, and its file, take and return columns in the units of the
// data.
func TestProjectionsAreRead(t *testing.T) {
	m := example(t)
	m.Manifest.Columns, m.Manifest.Normalise = []string{"temp", "flow", "level"}, "minmax"
	m.Scaling = rows.Scaling{Shift: []float64{10, 20, 0}, Scale: []float64{2, 0.5, 4}}
	m.Projection = &rows.Projection{
		Mean: []float64{0.5, 0.25, 1}, Axes: mat.NewDense(2, 3, []float64{0.6, 0, 0.8, 0, 1, 0}),
		Variances: []float64{3, 1}, Total: 5,
	}
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Manifest.Version != 2 || !reflect.DeepEqual(got.Projection, m.Projection) || got.Manifest.PCA.Explained() != 0.8 {
		t.Errorf("got %+v, %+v", got.Manifest, got.Projection)
	}
	// (12−10)/2, (20−20)/0.5 and 8/4, less the centre, are 0.5, −0.25 and 1.
	row := mat.NewDense(1, 3, []float64{12, 20, 8})
	z := mat.NewDense(1, 2, []float64{0.5*0.6 + 0.8, -0.25})
	if trained := got.Trained(mat.DenseCopyOf(row)); !mat.EqualApprox(trained, z, 1e-15) {
		t.Errorf("trained on %v, want %v", trained, z)
	}
	read := make([]float64, 2)
	if err := got.Rows(rows.InMemory(row)).ReadRows(read, 0); err != nil || !floats.EqualApprox(read, z.RawRowView(0), 1e-15) {
		t.Errorf("read %v, want %v", read, z)
	}
	if s := score(got, row)[0]; s != -mixtureOf(m).LogDensity(z.RawRowView(0)) {
		t.Errorf("score %g, want %g", s, -mixtureOf(m).LogDensity(z.RawRowView(0)))
	}
	// The point of the first mean, (0, 1): the centre plus the second axis.
	if want := []float64{11, 20.625, 4}; !floats.EqualApprox(got.InUnits(mixtureOf(got).Means()).RawRowView(0), want, 1e-12) {
		t.Errorf("mean %v, want %v", got.InUnits(mixtureOf(got).Means()).RawRowView(0), want)
	}
}

// score returns a model's scores of rows in the units of the data.
func score(m *Model, rows *mat.Dense) []float64 {
	scores, err := m.Scores(m.Trained(mat.DenseCopyOf(rows)))
	if err != nil {
		panic(err)
	}
	return scores
}
