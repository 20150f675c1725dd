package bvae

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/lab/internal/studytest"
)

// write writes made-up images. The class of an image determines which row of pixels is bright.
func write(t *testing.T, s *set) (folder string) {
	t.Helper()
	folder = t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for i, n := range []int{900, 60} {
		var x, y []byte
		for range n {
			class := byte(rng.IntN(classes))
			y = append(y, class)
			for p := range pixels {
				v := byte(rng.IntN(40))
				if p/28 == 2*int(class) {
					v += 200
				}
				x = append(x, v)
			}
		}
		studytest.WriteIDX(t, filepath.Join(folder, s.files()[2*i]), x, n, 28, 28)
		studytest.WriteIDX(t, filepath.Join(folder, s.files()[2*i+1]), y, n)
	}
	return folder
}

func tiny() plan {
	return plan{
		sets: sets()[:1], scenarios: scenarios(), train: 800, test: 50, rounds: 3,
		model:  beta.Config{Inputs: pixels, Hidden: []int{6}, Epochs: 1, Batch: 20},
		trials: func(_, scenario string) int { return map[string]int{"NIID-1": 1, "NIID-2": 2}[scenario] },
	}
}

func run(ctx context.Context, p plan, data, out string, note func(string, ...any)) (*study.Lab, error) {
	s := study.Study{Name: "bvae", Version: 1, Run: func(ctx context.Context, l *study.Lab) error { return p.run(ctx, l) }}
	return study.Run(ctx, s, data, out, false, note)
}

// The study on made-up images resumes after the last complete round when it is stopped in the
// middle of a run. After several stops it gives the same tables as without any.
func TestStudy(t *testing.T) {
	testkit.SkipRaced(t)
	data, whole, stopped := write(t, sets()[0]), t.TempDir(), t.TempDir()
	rounds := 0
	count := func(format string, args ...any) {
		if strings.HasPrefix(format, "  round") {
			rounds++
		}
	}
	lab, err := run(t.Context(), tiny(), data, whole, count)
	if err != nil {
		t.Fatal(err)
	}
	want := rounds
	rounds = 0
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		before := rounds
		_, err := run(ctx, tiny(), data, stopped, func(format string, args ...any) {
			if count(format, args...); rounds == before+5 {
				cancel()
			}
		})
		cancel()
		if err == nil {
			if stops < 3 {
				t.Errorf("stopped %d times, want more", stops)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if rounds != want {
		t.Errorf("%d rounds with stops, want %d", rounds, want)
	}
	for _, table := range lab.Tables {
		a, errA := os.ReadFile(table.File)
		b, errB := os.ReadFile(filepath.Join(stopped, filepath.Base(table.File)))
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs, or is not there: %v", table.Name, err)
		}
	}
	if got := lab.Tables[0].Rows; len(got) != 8 || got[4][6] == "" || got[4][12] != "551.49" || got[4][3] != "2" || !strings.Contains(got[4][7], "±") {
		t.Errorf("got losses %q", got)
	}
	if got := lab.Tables[1].Rows; len(got) != 10+2*6 || got[0][4] == "" || got[0][5] == "0.0000" {
		t.Errorf("got members %q", got)
	}
	if len(lab.Figures) != 4 {
		t.Errorf("got figures %q", lab.Figures)
	}
}

// A study that lacks the model of FedAvg, which it needs for weights, fails and names the cell to
// compute again.
func TestModelIsGone(t *testing.T) {
	data, out := write(t, sets()[0]), t.TempDir()
	p := tiny()
	p.scenarios = p.scenarios[1:]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := run(ctx, p, data, out, func(format string, args ...any) {
		if strings.Contains(fmt.Sprintf(format, args...), "a=0.1") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(out, "bvae.models", "MNIST-NIID-2-FedAvg-trial-1.npz")); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), p, data, out, t.Logf); err == nil || !strings.Contains(err.Error(), `delete the line of its cell "MNIST NIID-2, FedAvg, trial 1"`) {
		t.Errorf("got %v", err)
	}
}

// Both scenarios give each image to one member. In the second, the first member has a sixth of the
// images, of all classes, and each other member has two classes of the rest.
func TestScenarios(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	labels := make([]byte, 1200)
	for i := range labels {
		labels[i] = byte(rng.IntN(classes))
	}
	for _, s := range scenarios() {
		hands, err := s.deal(labels, 1)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := s.deal(labels, 1)
		other, _ := s.deal(labels, 2)
		if !reflect.DeepEqual(hands, again) || reflect.DeepEqual(hands, other) {
			t.Errorf("%s: the deal is not that of the seed", s.name)
		}
		all := slices.Concat(hands...)
		slices.Sort(all)
		if len(all) != len(labels) || len(slices.Compact(all)) != len(labels) {
			t.Errorf("%s: %d images are dealt, want each of %d once", s.name, len(all), len(labels))
		}
		if s.name == "NIID-1" {
			if len(hands) != 10 {
				t.Errorf("got %d members", len(hands))
			}
			continue
		}
		for i, hand := range hands {
			seen := map[byte]bool{}
			for _, image := range hand {
				seen[labels[image]] = true
			}
			if want := map[bool]int{true: classes, false: 2}[i == 0]; len(seen) != want {
				t.Errorf("member %d has %d classes, want %d", i, len(seen), want)
			}
		}
		if len(hands) != 6 || len(hands[0]) != 200 {
			t.Errorf("got %d members, the first with %d images", len(hands), len(hands[0]))
		}
	}
	for _, s := range scenarios() {
		if _, err := s.deal(labels[:100], 1); err == nil {
			t.Errorf("%s: took 100 images", s.name)
		}
	}
}

func TestFilesThatAreNoImages(t *testing.T) {
	s := sets()[0]
	data := write(t, s)
	labels := make([]byte, 60)
	labels[7] = 10
	studytest.WriteIDX(t, filepath.Join(data, s.files()[3]), labels, 60)
	_, err := run(t.Context(), tiny(), data, t.TempDir(), t.Logf)
	if err == nil || !strings.Contains(err.Error(), "label 8: want from 0 to 9, got 10") {
		t.Errorf("got %v", err)
	}
	studytest.WriteIDX(t, filepath.Join(data, s.files()[1]), labels, 60)
	_, err = run(t.Context(), tiny(), data, t.TempDir(), t.Logf)
	if err == nil || !strings.Contains(err.Error(), "want labels of 900 images") {
		t.Errorf("got %v", err)
	}
}
