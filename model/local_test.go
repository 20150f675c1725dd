package model

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/local"
)

// secretValue is a value of a row that only the local file may hold.
const secretValue = 0.6180339887498949

// withLocal adds a local part to a model; alone is the model of its rows alone, nil for none.
func withLocal(t testing.TB, m *Model, alone *Model) *Model {
	t.Helper()
	m.Local = &Local{
		Nearest: local.NewNearest(mat.NewDense(3, 2, []float64{0, 1, secretValue, 2, 2, 3})),
		Scores:  [][]float64{{1, 3, 2, 5}, {0.1, 0.4, 0.2, 0.3}}, Held: 2,
	}
	if alone != nil {
		m.Local.Alone, m.Local.Better = alone.Scorer(), Alone
		m.Local.Scores = slices.Insert(m.Local.Scores, 1, []float64{0, 2, 4, 6})
	}
	for _, scores := range m.Local.Scores {
		m.Local.Calibrations = append(m.Local.Calibrations, local.Calibrate(scores))
	}
	m.SetThresholds()
	return m
}

// other is a model of the same kind as example, with other parameters and fewer components.
func other(t testing.TB) *Model {
	t.Helper()
	m := example(t)
	mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 2, []float64{0.5, -1}), []*mat.SymDense{mat.NewSymDense(2, []float64{3, 0.5, 0.5, 2})})
	if err != nil {
		t.Fatal(err)
	}
	m.Learned = mixture
	return m
}

// The shared model weighs more unless held-out rows show that the own one is better: few rows show nothing.
func TestTheSharedModelWeighsMoreUnlessTheOwnIsBetter(t *testing.T) {
	for _, c := range []struct {
		better, scores string
		alone          bool // whether there is a model of the own rows
		weights        []float64
	}{
		{"", Blend, true, []float64{4, 1, 1}},
		{Shared, Blend, true, []float64{4, 1, 1}},
		{Alone, Blend, true, []float64{1, 4, 1}},
		{"", Alone, true, []float64{1, 1}},
		{Alone, Alone, true, []float64{1, 1}},
		{"", Blend, false, []float64{1, 1}},
	} {
		var own *Model
		if c.alone {
			own = other(t)
		}
		m := withLocal(t, example(t), own)
		m.Local.Better = c.better
		var weights []float64
		for _, member := range m.Local.Ensemble(m.Scorer(), c.scores).Members {
			weights = append(weights, member.Weight)
		}
		if !slices.Equal(weights, c.weights) {
			t.Errorf("%+v: weights %v", c, weights)
		}
	}
}

func TestLocalPartsAreRead(t *testing.T) {
	at := mat.NewDense(4, 2, []float64{10, 20, 12, 21, 9, 19, 500, -3})
	for name, m := range map[string]*Model{
		"mixture":            withLocal(t, example(t), other(t)),
		"learned alone":      withLocal(t, example(t), nil),
		"auto-encoder":       withLocal(t, autoEncoder(t), autoEncoder(t)),
		"two parts of a net": withLocal(t, betaVAE(t), betaVAE(t)),
	} {
		dir := t.TempDir()
		if err := Save(dir, m); err != nil {
			t.Fatal(name, err)
		}
		got, err := ReadFile(filepath.Join(dir, File))
		if err != nil {
			t.Fatal(name, err)
		}
		if !got.Manifest.Local || got.Threshold() != got.Manifest.Threshold || got.With(Blend) == nil {
			t.Errorf("%s: without its local part: %+v", name, got.Manifest)
		}
		if got.Personal() != nil {
			if err := got.ReadOwnFile(filepath.Join(dir, OwnFile)); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, LocalFile)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		if err := got.ReadLocalFile(path); err != nil {
			t.Fatal(name, err)
		}
		for _, by := range []string{"", Shared, Alone, Blend} {
			if by != "" {
				if err := m.With(by); err != nil {
					t.Fatal(err)
				}
				if err := got.With(by); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := score(got, at), score(m, at); !reflect.DeepEqual(a, b) || got.Threshold() != m.Threshold() {
				t.Errorf("%s: by %q: scores %v, threshold %g, want %v, %g", name, by, a, got.Threshold(), b, m.Threshold())
			}
		}
		first, _ := os.ReadFile(path)
		if err := WriteLocalFile(path, got); err != nil {
			t.Fatal(err)
		}
		if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
			t.Errorf("%s: writing it again gives other bytes", name)
		}
	}
}

// The scores are those that were selected.
func TestScoresAreChosen(t *testing.T) {
	m, alone := withLocal(t, example(t), other(t)), other(t)
	at := mat.NewDense(2, 2, []float64{10, 20, 12, 21})
	shared, blend := score(example(t), at), score(m, at)
	if err := m.With(Alone); err != nil {
		t.Fatal(err)
	}
	without := score(m, at)
	for i := range 2 {
		x := m.Trained(mat.DenseCopyOf(at))
		near, err := local.Scores(m.Local.Nearest, rows.InMemory(x))
		if err != nil {
			t.Fatal(err)
		}
		own := score(alone, at)[i]
		if want := m.Local.Ensemble(nil, Blend).Score([]float64{shared[i], own, near[i]}); blend[i] != want {
			t.Errorf("blend %g, want %g", blend[i], want)
		}
		if want := m.Local.Ensemble(nil, Alone).Score([]float64{own, near[i]}); without[i] != want {
			t.Errorf("alone %g, want %g", without[i], want)
		}
	}
	for by, want := range map[string]struct {
		scores    []float64
		threshold float64
	}{Shared: {shared, 4}, Alone: {without, slices.Max(m.Local.Own(Alone))}, Blend: {blend, slices.Max(m.Local.Own(Blend))}} {
		if err := m.With(by); err != nil {
			t.Fatal(err)
		}
		if got := score(m, at); !slices.Equal(got, want.scores) || m.Threshold() != want.threshold {
			t.Errorf("by %s: %v, threshold %g, want %v", by, got, m.Threshold(), want)
		}
	}
	refused(t, m.With("both"), "want shared, alone or blend")
	refused(t, example(t).With(Alone), "need the file local.npz")
	refused(t, classifier(t, "none").With(Shared), "gives no scores")
}

// The files of the model and of the private parameters are the same with and without a local part,
// except for the field that reports it.
func TestFilesForOthersHoldNoLocalPart(t *testing.T) {
	for name, made := range map[string]func(*testing.T) *Model{"ggm": func(t *testing.T) *Model { return example(t) }, "mtvae": autoEncoder, "bvae": betaVAE} {
		with, without := withLocal(t, made(t), made(t)), made(t)
		without.Manifest.Local = true
		for what, write := range map[string]func(*Model, *bytes.Buffer) error{
			"model": func(m *Model, b *bytes.Buffer) error { return m.Write(b) },
			"own": func(m *Model, b *bytes.Buffer) error {
				if m.Personal() == nil {
					return nil
				}
				return m.WriteOwn(b)
			},
		} {
			var a, b bytes.Buffer
			if err := write(with, &a); err != nil {
				t.Fatal(err)
			}
			if err := write(without, &b); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s: the %s file differs by the local part", name, what)
			}
		}
	}
}

func TestFilesThatAreNoLocalPart(t *testing.T) {
	m := withLocal(t, example(t), other(t))
	written := func(m *Model) []byte {
		var b bytes.Buffer
		if err := m.WriteLocal(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	changed := func(change func(l *Local)) []byte {
		m := withLocal(t, example(t), other(t))
		change(m.Local)
		return written(m)
	}
	whole := written(m)
	moved := example(t)
	moved.Scaling.Shift[0]++
	for want, c := range map[string]struct {
		of    *Model
		bytes []byte
	}{
		"want the local part of this model":    {other(t), whole},
		"got one of another":                   {moved, whole},
		"want a model that gives scores":       {classifier(t, "none"), whole},
		`want format "collabdict local part"`:  {example(t), archive(t, `{"format":"collabdict own part","version":1}`)},
		"of version 3":                         {example(t), archive(t, `{"format":"collabdict local part","version":3}`)},
		"rows: want shape [-1 2], got [2 3]":   {example(t), changed(func(l *Local) { l.Nearest = local.NewNearest(mat.NewDense(2, 3, nil)) })},
		"rows: want at least 2 rows":           {example(t), changed(func(l *Local) { l.Nearest = local.NewNearest(mat.NewDense(1, 2, nil)) })},
		"calibrations: want shape [3 -1], got": {example(t), changed(func(l *Local) { l.Scores = l.Scores[:2] })},
		"zip":                                  {example(t), whole[:len(whole)/2]},
	} {
		var before []float64
		if c.of.Scorer() != nil {
			before = score(c.of, mat.NewDense(1, 2, nil))
		}
		err := c.of.ReadLocal(bytes.NewReader(c.bytes), int64(len(c.bytes)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if c.of.Scorer() != nil && !slices.Equal(before, score(c.of, mat.NewDense(1, 2, nil))) {
			t.Errorf("%s: scores have changed", want)
		}
	}
	refused(t, m.ReadLocalFile(filepath.Join(t.TempDir(), LocalFile)), LocalFile)
}

// archive returns a file with this manifest and no arrays.
func archive(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := npz.NewWriter(&b)
	if err := w.File(manifest, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Reading any bytes as a local part ends with scores or an error.
func FuzzLocalPart(f *testing.F) {
	var b bytes.Buffer
	if err := withLocal(f, example(f), other(f)).WriteLocal(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(archive(f, `{"format":"collabdict local part","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := example(t)
		if err := m.ReadLocal(bytes.NewReader(data), int64(len(data))); err == nil {
			score(m, mat.NewDense(1, 2, []float64{10, 20}))
		}
	})
}

// A smaller share of false alarms never has a lower threshold, and that of the model's own share is the
// model's threshold. Held-out rows score lower than the others here, or higher.
func TestThresholdsRiseAsSharesFall(t *testing.T) {
	shares := []float64{0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001}
	for _, held := range []int{0, 5, 30, 120, 300, 1500} {
		for _, step := range []float64{-1, 0, 1} {
			m := example(t)
			m.Manifest.FalseAlarm = 0.01
			scores := make([]float64, 2000)
			for i := range scores {
				scores[i] = float64(i * 7919 % 2003)
				if i >= len(scores)-held {
					scores[i] += 500 * step
				}
			}
			m.Local = &Local{
				Nearest: local.NewNearest(mat.NewDense(2, 2, nil)), Held: held,
				Scores: [][]float64{scores, scores}, Calibrations: []*Calibration{local.Calibrate(scores), local.Calibrate(scores)},
			}
			m.SetThresholds()
			for _, by := range []string{Blend, Alone, Shared} {
				if err := m.With(by); err != nil {
					t.Fatal(err)
				}
				own, _ := local.HeldLimit(m.Local.Own(by), held, m.Manifest.FalseAlarm)
				if limit, enough, ok := m.ThresholdFor(m.Manifest.FalseAlarm); limit != own || !enough || !ok || by != Shared && m.Threshold() != own {
					t.Errorf("%d held out, %s: threshold %g, of the model %g, want %g", held, by, limit, m.Threshold(), own)
				}
				last := -1.0
				for _, share := range shares {
					limit, _, _ := m.ThresholdFor(share)
					if limit < last {
						t.Errorf("%d held out, %+g, %s: %g for the share %g, below %g for a larger one", held, 500*step, by, limit, share, last)
					}
					last = limit
				}
			}
		}
	}
}
