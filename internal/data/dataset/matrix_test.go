package dataset_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

func TestLoadSymmetric(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	for _, content := range []string{"2,-0.5\n-0.5, 1e0\n", zipped(t, "2,-0.5\n\n-0.5,1"), "\ufeff2,-0.5\n-0.5000000001,1\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := dataset.LoadSymmetric(path)
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		if s.SymmetricDim() != 2 || s.At(0, 0) != 2 || math.Abs(s.At(0, 1)+0.5) > 1e-9 || s.At(1, 1) != 1 {
			t.Errorf("%q: got %v", content, s.RawSymmetric())
		}
	}
}

func TestLoadSymmetricErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	for content, want := range map[string]string{
		"":               "s.csv: the file is empty",
		"a,b\n1,2\n":     `s.csv:1: column "1": want a number, got "a"`,
		"1,2\n2,NaN\n":   `s.csv:2: column "2": want a finite number, got "NaN"`,
		"1,2\n2,\n":      `s.csv:2: column "2": want a number, got ""`,
		"1,2\n2\n":       "s.csv:2: want 2 cells as in the first row, got 1",
		"1,2\n":          "s.csv: want a square matrix, got 1 rows of 2 numbers",
		"1\n2\n":         "s.csv:2: want a square matrix, got more than 1 rows of 1 numbers",
		"1,2\n2.1,1\n":   `s.csv:2: column "1": want a symmetric matrix, got 2.1 here and 2 in row 1, column 2`,
		"1,\"2\n2,1\n":   "malformed row",
		"\x1f\x8b\x08\n": "s.csv: ",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		wantMatrixError(t, path, want)
	}
	wantMatrixError(t, path+"x", "s.csvx: cannot be read")
}

func wantMatrixError(t *testing.T, path, want string) {
	t.Helper()
	_, err := dataset.LoadSymmetric(path)
	var typed *dataset.Error
	if !errors.As(err, &typed) || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// FuzzLoadSymmetric checks that any bytes give a typed error or a matrix of finite numbers.
func FuzzLoadSymmetric(f *testing.F) {
	f.Add([]byte("2,-0.5\n-0.5,1\n"))
	f.Add([]byte(zipped(f, "1")))
	f.Add([]byte("\n \n1\n"))
	path := filepath.Join(f.TempDir(), "f.csv")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := dataset.LoadSymmetric(path)
		var typed *dataset.Error
		if err != nil {
			if !errors.As(err, &typed) || strings.Contains(err.Error(), "strconv") {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		for _, v := range s.RawSymmetric().Data {
			if !(math.Abs(v) <= 1e60) {
				t.Fatalf("%v came through", v)
			}
		}
	})
}
