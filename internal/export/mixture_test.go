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
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/model"
)

// mixtureOf returns a model with a participant's own weights and the rows of all participants. It
// has three components, and a fourth one with too few rows. Precision matrices are ill-conditioned.
func mixtureOf(t *testing.T, form gmm.Covariance, columns, axes int) *model.Model {
	t.Helper()
	m := describe("ggm", columns, axes)
	dim := columns
	if axes > 0 {
		dim = axes
	}
	const k = 4
	rng := rand.New(rand.NewPCG(3, 4))
	means, diagonals := mat.NewDense(k, dim, nil), mat.NewDense(k, dim, nil)
	var precisions []*mat.SymDense
	for c := range k {
		root := mat.NewDense(dim, dim, nil)
		spread := math.Exp(rng.NormFloat64())
		for i := range dim {
			means.Set(c, i, 2*rng.NormFloat64())
			diagonals.Set(c, i, spread)
			if form == gmm.Diag {
				diagonals.Set(c, i, math.Exp(2*rng.NormFloat64()))
			}
			root.Set(i, i, math.Pow(10, float64(i%4)))
			for j := range i {
				root.Set(i, j, rng.NormFloat64())
			}
		}
		p := mat.NewSymDense(dim, nil)
		p.SymOuterK(1, root)
		precisions = append(precisions, p)
	}
	weights := []float64{0.5, 0.1, 0.3, 0.1}
	mixture, err := gmm.NewDiagMixture(form, weights, means, diagonals)
	if form == gmm.Full {
		mixture, err = gmm.NewMixture(weights, means, precisions)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.Learned = mixture.WithRows([]float64{200, 300, 499.5, 0.5})
	return m
}

func expected(m *model.Model) *model.Model {
	m.Learned = gmm.Expected{Mixture: m.Learned.(*gmm.Mixture)}
	return m
}

// given returns rows in single precision, as a file takes them, and in the coordinates trained on.
func given(m *model.Model, own bool, n int) (single []float32, z *mat.Dense) {
	single, x := rowsOf(m, n)
	if own || m.Manifest.Standardise != "own" {
		return single, m.Trained(x)
	}
	m.Scaling.ApplyTo(x, x)
	single = single[:0]
	for i := range n {
		for j, v := range x.RawRowView(i) {
			single = append(single, float32(v))
			x.Set(i, j, float64(float32(v)))
		}
	}
	if m.Projection != nil {
		return single, m.Projection.Apply(x)
	}
	return single, x
}

// knownMixture returns a file of a mixture, with rows and the mixture's own outputs for them.
func knownMixture(t *testing.T, m *model.Model, own bool) known {
	t.Helper()
	x, err := MixtureOf(m, own)
	if err != nil {
		t.Fatal(err)
	}
	return knownAs(t, m, x)
}

func knownAs(t *testing.T, m *model.Model, x *Mixture) known {
	t.Helper()
	const n = 20
	f, err := x.ONNX()
	if err != nil {
		t.Fatal(err)
	}
	single, z := given(m, x.Own, n)
	logs := x.LogDensities(nil, z)
	scores := make([]float64, n)
	for i, l := range logs {
		scores[i] = -l
	}
	if x.Expected {
		scores = x.Scores(nil, z)
	}
	e, err := x.Explain(z)
	if err != nil {
		t.Fatal(err)
	}
	k := known{
		file: f.Bytes,
		in:   map[string]onnxtest.Tensor{"rows": onnxtest.Floats(single, n, len(m.Manifest.Columns))},
		out:  map[string]onnxtest.Tensor{"score": tensor(scores, n), "log_density": tensor(logs, n)},
	}
	if m.Projection == nil {
		k.out["contributions"] = tensor(e.Parts.RawMatrix().Data, n, x.Dim())
	}
	return k
}

// Weights in a shared file are shares of all participants' rows, among components with enough rows.
func TestSharedWeights(t *testing.T) {
	m := mixtureOf(t, gmm.Full, 3, 0)
	x, err := MixtureOf(m, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Weights(); len(got) != 3 || !slices.Equal(x.ComponentRows(), []float64{200, 300, 499.5}) || math.Abs(got[0]-200/999.5) > 1e-15 || math.Abs(got[2]-499.5/999.5) > 1e-15 {
		t.Errorf("got %v, want shares of 200, 300 and 499.5 rows", got)
	}
	if len(x.Warnings) != 1 || !strings.HasPrefix(x.Warnings[0], "1 of 4 components are left out") {
		t.Errorf("got %q", x.Warnings)
	}
	if x, err = MixtureOf(m, true); err != nil || x.Components() != 4 || x.Weights()[0] != 0.5 {
		t.Errorf("with own weights: got %d components (%v)", x.Components(), err)
	}
	m.Learned = m.Learned.(*gmm.Mixture).WithRows(nil)
	var unknown *UnknownRowsError
	if _, err := MixtureOf(m, false); !errors.As(err, &unknown) {
		t.Errorf("without rows of all: got %v", err)
	}
	m.Learned = m.Learned.(*gmm.Mixture).WithRows(make([]float64, 4))
	if _, err := MixtureOf(m, false); err == nil {
		t.Error("components of no rows are shared")
	}
}

// forms holds the forms in which a mixture can be written.
var forms = map[string]func(*Mixture) (*File, error){"npz": (*Mixture).NPZ, "json": (*Mixture).JSON, "onnx": (*Mixture).ONNX, "dot": (*Mixture).DOT}

func files(t *testing.T, m *model.Model) map[string]*File {
	t.Helper()
	all := map[string]*File{}
	for name, write := range forms {
		x, err := MixtureOf(m, false)
		if err != nil {
			t.Fatal(err)
		}
		if all[name], err = write(x); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// sharedFields are the fields of a model's manifest that a shared file contains.
var sharedFields = []string{"Kind", "Columns", "Window", "Standardise", "Normalise", "Digest"}

// A shared file has the same bytes whatever else its model contains: other fields of the manifest,
// also future ones, the weights, a participant's own scaling, and the local part.
func TestSharedFilesRevealNoParticipant(t *testing.T) {
	nothingOfAParticipant(t, func() *model.Model { return mixtureOf(t, gmm.Full, 3, 0) }, files, sharedFields)
}

func nothingOfAParticipant(t *testing.T, of func() *model.Model, files func(*testing.T, *model.Model) map[string]*File, sharedFields []string) {
	t.Helper()
	want := files(t, of())
	same := func(what string, m *model.Model) {
		t.Helper()
		for form, f := range files(t, m) {
			if !bytes.Equal(f.Bytes, want[form].Bytes) || !reflect.DeepEqual(f, want[form]) {
				t.Errorf("%s: the %s file reveals it", what, form)
			}
		}
	}
	fields := reflect.TypeFor[model.Manifest]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		m := of()
		field := reflect.ValueOf(&m.Manifest).Elem().Field(i)
		before := field.Interface()
		fill(field, 3)
		if reflect.DeepEqual(before, field.Interface()) {
			t.Fatalf("%s has not changed", name)
		}
		if !slices.Contains(sharedFields, name) {
			same("manifest: "+name, m)
		}
	}

	m := of()
	learned := m.Learned.(*gmm.Mixture)
	var precisions []*mat.SymDense
	for k := range learned.Components() {
		precisions = append(precisions, learned.Precision(k))
	}
	other, err := gmm.NewMixture([]float64{0.1, 0.7, 0.1, 0.1}, learned.Means(), precisions)
	if err != nil {
		t.Fatal(err)
	}
	m.Learned = other.WithRows(learned.ComponentRows())
	same("weights", m)
	m = of()
	for j := range m.Scaling.Scale {
		m.Scaling.Shift[j], m.Scaling.Scale[j] = 7, 8
	}
	same("scaling", m)
	m = of()
	m.Local = &model.Local{
		Alone: other, Nearest: local.NewNearest(mat.NewDense(2, 3, nil)), BlendThreshold: 1, AloneThreshold: 2, Better: model.Alone,
		Calibrations: []*local.Calibration{local.Calibrate([]float64{1}), local.Calibrate([]float64{2}), local.Calibrate([]float64{3})},
	}
	same("local part", m)
	if err := m.With(model.Alone); err != nil {
		t.Fatal(err)
	}
	same("selected scores", m)
}

// fill changes a value, and all values in it.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "plant-a")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 123456789)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 77)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1234.5678)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if depth > 0 {
			one := reflect.New(v.Type().Elem()).Elem()
			fill(one, depth-1)
			v.Set(reflect.Append(v, one))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth-1)
		if value.Kind() == reflect.Interface {
			value.Set(reflect.ValueOf("plant-a"))
		} else {
			fill(value, depth-1)
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth)
			}
		}
	}
}

// Every number and word of a shared file, as an archive and as JSON, is one that all participants
// have.
func TestOriginOfASharedFile(t *testing.T) {
	for _, standardise := range []string{"own", "global"} {
		m := mixtureOf(t, gmm.Full, 3, 0)
		m.Manifest.Standardise = standardise
		all := files(t, m)
		a, err := npz.Open(bytes.NewReader(all["npz"].Bytes), int64(len(all["npz"].Bytes)))
		if err != nil {
			t.Fatal(err)
		}
		x, err := MixtureOf(m, false)
		if err != nil {
			t.Fatal(err)
		}
		var precisions []float64
		for k := range 3 {
			precisions = append(precisions, mat.DenseCopyOf(m.Learned.(*gmm.Mixture).Precision(k)).RawMatrix().Data...)
		}
		arrays := map[string][]float64{
			"weights": x.Weights(), "means": m.Learned.(*gmm.Mixture).Means().RawMatrix().Data[:9], "precisions": precisions,
		}
		fields := map[string]any{
			"format": "collabdict release", "version": 1.0, "kind": "ggm", "columns": []any{"column 1", "column 2", "column 3"}, "standardise": standardise,
			"digest": "abc", "weights_of": "all", "covariance": "full", "score": "density",
		}
		if standardise == "global" {
			arrays["shift"], arrays["scale"] = m.Scaling.Shift, m.Scaling.Scale
		}
		var got map[string]any
		text, err := a.File("manifest.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, fields) {
			t.Errorf("manifest: got %v (%v), want %v", got, err, fields)
		}
		if len(a.Names()) != len(arrays)+1 {
			t.Errorf("got %v", a.Names())
		}
		got = nil
		if err := json.Unmarshal(all["json"].Bytes, &got); err != nil {
			t.Fatal(err)
		}
		for name, want := range arrays {
			if read, err := npz.Get[float64](a, name); err != nil || !slices.Equal(read.Data, want) {
				t.Errorf("%s: got %v (%v), want %v", name, read.Data, err, want)
			}
			if read := flat(got[name]); !slices.Equal(read, want) {
				t.Errorf("%s in JSON: got %v, want %v", name, read, want)
			}
			delete(got, name)
		}
		if !reflect.DeepEqual(got, fields) {
			t.Errorf("JSON: got besides %v, want %v", got, fields)
		}
	}
}

func flat(v any) (all []float64) {
	if list, ok := v.([]any); ok {
		for _, one := range list {
			all = append(all, flat(one)...)
		}
		return all
	}
	return []float64{v.(float64)}
}

// A file with own weights is private to its owner. A shared file reports whether it takes scaled
// columns.
func TestOwnMixture(t *testing.T) {
	m := mixtureOf(t, gmm.Diag, 3, 0)
	x, err := MixtureOf(m, true)
	if err != nil {
		t.Fatal(err)
	}
	f, err := x.ONNX()
	if err != nil {
		t.Fatal(err)
	}
	of := decoded(t, f.Bytes)
	if !f.Private || of.Properties["threshold"] != "2.5" || of.Properties["weights_of"] != "own" || of.Properties["input"] != "units" {
		t.Errorf("private: %t, %v", f.Private, of.Properties)
	}
	shared := files(t, m)["onnx"]
	of = decoded(t, shared.Bytes)
	if shared.Private || of.Properties["threshold"] != "" || of.Properties["input"] != "scaled" || !strings.Contains(strings.Join(shared.Warnings, "\n"), "scales columns by its own rows") {
		t.Errorf("private: %t, %v, %q", shared.Private, of.Properties, shared.Warnings)
	}
	if of := decoded(t, files(t, global(m))["onnx"].Bytes); of.Properties["input"] != "units" {
		t.Errorf("%v", of.Properties)
	}
	for _, e := range shared.Contents {
		if e.Of == Own {
			t.Errorf("a shared file lists %+v", e)
		}
	}
}

func global(m *model.Model) *model.Model {
	m.Manifest.Standardise = "global"
	return m
}

// A row far beyond all others has a score, however large its values are.
func TestFarRows(t *testing.T) {
	m := mixtureOf(t, gmm.Full, 2, 0)
	m.Scaling = rows.Unscaled(2)
	file := files(t, m)["onnx"]
	far := []float32{math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), 0}
	out, err := decoded(t, file.Bytes).Run(map[string]onnxtest.Tensor{"rows": onnxtest.Floats(far, 2, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range out["score"].Values {
		if !math.IsInf(s, 1) {
			t.Errorf("row %d: got score %g", i+1, s)
		}
	}
}

// A shared file depends only on the values listed here: parameters, names, and the scaling of
// columns if all participants share it.
func TestASharedFileFollowsFromSharedParameters(t *testing.T) {
	for _, standardise := range []string{"own", "global"} {
		m := mixtureOf(t, gmm.Full, 3, 2)
		m.Manifest.Standardise = standardise
		of := m.Learned.(*gmm.Mixture)
		var precisions []*mat.SymDense
		for k := range 3 {
			precisions = append(precisions, of.Precision(k))
		}
		shared, err := gmm.NewMixture([]float64{200 / 999.5, 300 / 999.5, 499.5 / 999.5}, mat.DenseCopyOf(of.Means().Slice(0, 3, 0, 2)), precisions)
		if err != nil {
			t.Fatal(err)
		}
		x := &Mixture{
			Mixture: shared, Kind: "ggm", Digest: "abc", Warnings: []string{"1 of 4 components are left out"},
			Columns: Columns{Names: []string{"column 1", "column 2", "column 3"}, Standardise: standardise, Projection: m.Projection},
		}
		if standardise == "global" {
			x.Columns.Scaling = m.Scaling
		}
		for form, f := range files(t, m) {
			want, err := forms[form](x)
			if err != nil || !bytes.Equal(f.Bytes, want.Bytes) {
				t.Errorf("%s, columns scaled %s: the file has other bytes than that of the shared parameters (%v)", form, standardise, err)
			}
		}
	}
}
