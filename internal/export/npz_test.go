package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// A release has the same bytes at every participant, and contains only what is listed here.
func TestReleaseRevealsNoParticipant(t *testing.T) {
	var files []*File
	for _, who := range []string{"plant-a", "plant-b"} {
		m := autoEncoderOf(6, 4)
		m.Manifest.Participant, m.Manifest.Rows, m.Manifest.TotalRows = who, len(who), 12345
		m.Manifest.Hyper = model.Hyper{"seed": json.Number("67")}
		if who == "plant-b" { // its own data
			m.Manifest.Threshold = 7
			m.Scaling.Shift[0], m.Scaling.Scale[1] = 1, 2
			m.Learned.(multitask.Trained).Encoder.Shared.Values[0]++
		}
		f, err := NPZ(m)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if !bytes.Equal(files[0].Bytes, files[1].Bytes) {
		t.Error("two participants' releases differ")
	}
	if own := slices.ContainsFunc(files[0].Contents, func(e Entry) bool { return e.Of == Own }); own {
		t.Errorf("a release lists something of its own: %v", files[0].Contents)
	}
	a, err := npz.Open(bytes.NewReader(files[0].Bytes), int64(len(files[0].Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"axes.npy", "centre.npy", "decoder.0.bias.npy", "decoder.0.weight.npy", "decoder.1.bias.npy", "decoder.1.weight.npy",
		"decoder.2.bias.npy", "decoder.2.weight.npy", "manifest.json",
	}
	if got := slices.Sorted(slices.Values(a.Names())); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	text, err := a.File("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"format", "version", "kind", "columns", "standardise", "digest"} {
		if fields[name] == nil {
			t.Errorf("no %s in %s", name, text)
		}
		delete(fields, name)
	}
	if len(fields) > 0 {
		t.Errorf("not listed here: %v", fields)
	}
}

// A release contains the scaling if all participants share it.
func TestReleaseWithSharedScaling(t *testing.T) {
	m := autoEncoderOf(6, 0)
	m.Manifest.Standardise = "global"
	f, err := NPZ(m)
	if err != nil {
		t.Fatal(err)
	}
	a, err := npz.Open(bytes.NewReader(f.Bytes), int64(len(f.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := npz.Get[float64](a, "shift")
	if err != nil || !slices.Equal(got.Data, m.Scaling.Shift) {
		t.Errorf("shift: got %v (%v), want %v", got.Data, err, m.Scaling.Shift)
	}
	weight, err := npz.Get[float64](a, "decoder.0.weight")
	if err != nil || !slices.Equal(weight.Shape, []int{3, 9}) {
		t.Errorf("decoder.0.weight: got shape %v (%v)", weight.Shape, err)
	}
}

// Functions that write networks refuse mixtures, and those that write mixtures refuse networks.
func TestKindsOfExports(t *testing.T) {
	mixture := mixtureOf(t, gmm.Full, 3, 0)
	for _, export := range []func() (*File, error){
		func() (*File, error) { return ONNX(mixture) },
		func() (*File, error) { return NPZ(mixture) },
		func() (*File, error) { _, err := MixtureOf(autoEncoderOf(3, 0), false); return nil, err },
	} {
		_, err := export()
		var kind *KindError
		if !errors.As(err, &kind) || !strings.Contains(err.Error(), "cannot be written as") {
			t.Errorf("got %v", err)
		}
	}
}

// Exports do not depend on a participant's local part: they contain no row and no model of its own.
func TestExportsHoldNoLocalPart(t *testing.T) {
	for name, made := range map[string]func() *model.Model{
		"mtvae": func() *model.Model { return autoEncoderOf(4, 0) },
		"bvae":  func() *model.Model { return betaVAEOf(4, 0, false) },
	} {
		with, without := made(), made()
		with.Manifest.Local = true
		with.Local = &model.Local{
			Alone: made().Scorer(), Nearest: local.NewNearest(mat.NewDense(2, 4, nil)), BlendThreshold: 1, AloneThreshold: 2,
			Calibrations: []*local.Calibration{local.Calibrate([]float64{1}), local.Calibrate([]float64{2}), local.Calibrate([]float64{3})},
		}
		for to, export := range map[string]func(*model.Model) (*File, error){"npz": NPZ, "onnx": ONNX} {
			a, err := export(with)
			if err != nil {
				t.Fatal(name, to, err)
			}
			b, err := export(without)
			if err != nil {
				t.Fatal(name, to, err)
			}
			if !bytes.Equal(a.Bytes, b.Bytes) || len(a.Contents) != len(b.Contents) || a.Private != b.Private {
				t.Errorf("%s: the export to %s reveals the local part", name, to)
			}
		}
	}
}
