package study_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

type result struct{ Square, Half float64 }

// squares returns a study of four cells that records what it computes, and fails at one cell if
// fail is its number.
func squares(computed *[]int, fail int) study.Study {
	return study.Study{
		Name: "squares", Version: 1, Needs: []string{"numbers.csv"},
		Run: func(ctx context.Context, l *study.Lab) error {
			var rows [][]string
			line := plots.Line{Name: "squares"}
			for i := range 4 {
				r, err := study.Cell(ctx, l, "number="+string(rune('0'+i)), func(context.Context) (result, error) {
					if i == fail {
						return result{}, errors.New("out of luck")
					}
					*computed = append(*computed, i)
					return result{float64(i * i), float64(i) / 2}, nil
				})
				if err != nil {
					return err
				}
				rows = append(rows, []string{study.Number(r.Square, 1), study.Number(r.Half, 2)})
				line.X, line.Y = append(line.X, float64(i)), append(line.Y, r.Square)
			}
			if err := l.Table("squares", []string{"square", "half"}, rows); err != nil {
				return err
			}
			return l.Chart(plots.Chart{Name: "squares", Title: "Squares", X: "number", Y: "square", Lines: []plots.Line{line}})
		},
	}
}

func run(t *testing.T, s study.Study, data, out string, quick bool) (*study.Lab, error) {
	t.Helper()
	return study.Run(t.Context(), s, data, out, quick, t.Logf)
}

// A study that was stopped resumes with the missing cells, even if its last line is incomplete, and
// writes the same files.
func TestResumes(t *testing.T) {
	data, out := t.TempDir(), t.TempDir()
	var computed []int
	if _, err := run(t, squares(&computed, -1), data, out, false); err == nil || !strings.Contains(err.Error(), "needs numbers.csv in the folder") {
		t.Fatalf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(data, "numbers.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, squares(&computed, 2), data, out, false); err == nil || err.Error() != "number=2: out of luck" {
		t.Fatalf("got %v", err)
	}
	journal := filepath.Join(out, "squares.cells.jsonl")
	f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"cell":"number=2","val`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		lab, err := run(t, squares(&computed, -1), data, out, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{0, 1, 2, 3}; !reflect.DeepEqual(computed, want) {
			t.Errorf("computed %v, want %v", computed, want)
		}
		raw, err := os.ReadFile(lab.Tables[0].File)
		if err != nil {
			t.Fatal(err)
		}
		if want := "square,half\n0.0,0.00\n1.0,0.50\n4.0,1.00\n9.0,1.50\n"; string(raw) != want {
			t.Errorf("got %q, want %q", raw, want)
		}
		for _, name := range lab.Figures {
			if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := run(t, squares(&computed, -1), data, out, true); err == nil || !strings.Contains(err.Error(), "want cells of the quick experiment squares, version 1, got those of the whole") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(journal, []byte("number\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, squares(&computed, -1), data, out, false); err == nil || !strings.Contains(err.Error(), "line 1: this is no journal") {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	if _, err := study.Find([]study.Study{{Name: "a"}, {Name: "b"}}, "c"); err == nil || err.Error() != `want an experiment of a, b, got "c"` {
		t.Errorf("got %v", err)
	}
}

func TestSummarise(t *testing.T) {
	if s := study.Summarise([]float64{1, math.NaN(), 3}); s != (study.Summary{N: 2, Mean: 2, SD: math.Sqrt2}) {
		t.Errorf("got %+v", s)
	}
	if s := study.Summarise([]float64{5}); s != (study.Summary{N: 1, Mean: 5}) {
		t.Errorf("got %+v", s)
	}
}
