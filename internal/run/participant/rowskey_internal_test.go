package participant

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

func keyed(t *testing.T, dir string, labels []float64, values ...float64) *rowsKey {
	t.Helper()
	k, err := newRowsKey(dir, rows.InMemory(mat.NewDense(len(values)/2, 2, values)), labels, func([]byte) {})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A run is resumed only with the rows that it began with, and with the same noise. Another run
// has other noise.
func TestARunIsResumedWithItsRows(t *testing.T) {
	dir, run, labels := t.TempDir(), [32]byte{1}, []float64{0, 1}
	first := keyed(t, dir, labels, 1, 2, 3, 4)
	if err := first.begin(run); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, rowsKeyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	again := keyed(t, dir, labels, 1, 2, 3, 4)
	if again.noise().Uint64() == first.noise().Uint64() {
		t.Error("two runs have the same noise")
	}
	if err := again.resume(run); err != nil || again.noise().Uint64() != first.noise().Uint64() {
		t.Errorf("the same rows are refused, or have other noise: %v", err)
	}
	for _, other := range []*rowsKey{
		keyed(t, dir, labels, 1, 2, 3, 5),                        // another value
		keyed(t, dir, labels, 3, 4, 1, 2),                        // another order
		keyed(t, dir, labels, 1, 2),                              // fewer
		keyed(t, dir, append(labels, 0), 1, 2, 3, 4, 77.7, 11.1), // one more
		keyed(t, dir, []float64{1, 1}, 1, 2, 3, 4),               // another class
		keyed(t, dir, nil, 1, 2, 3, 4),
	} {
		var wrong *OtherRowsError
		if err := other.resume(run); !errors.As(err, &wrong) || wrong.Missing {
			t.Errorf("rows %v with labels %v: got %v", other.rows, other.labels, err)
		}
	}
	if err := again.resume(run); err != nil {
		t.Errorf("after other rows were refused: %v", err)
	}
}

// A run whose rows are unknown, because its rows.key is missing, damaged or of another run, is
// not resumed.
func TestARunWithoutItsKey(t *testing.T) {
	dir := t.TempDir()
	k := keyed(t, dir, nil, 1, 2)
	missing := func() {
		t.Helper()
		var wrong *OtherRowsError
		if err := k.resume([32]byte{1}); !errors.As(err, &wrong) || !wrong.Missing {
			t.Errorf("got %v", err)
		}
	}
	missing()
	if err := k.begin([32]byte{2}); err != nil {
		t.Fatal(err)
	}
	missing() // it is of another run
	if err := k.begin([32]byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := k.resume([32]byte{1}); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(filepath.Join(dir, rowsKeyFile), 90); err != nil {
		t.Fatal(err)
	}
	missing()
	for range 2 {
		if err := k.forget(); err != nil {
			t.Error(err)
		}
	}
	missing()
}

// far are rows of an engine: only their digest comes here.
type far struct{ digest string }

func (far) Dims() (n, m int)              { return 3, 2 }
func (far) ReadRows([]float64, int) error { return errors.New("the rows are elsewhere") }
func (f far) Digest() []byte              { return []byte(f.digest) }
func (far) Run([]lanes.Step, int, string, []byte) ([][]byte, error) {
	return nil, errors.New("no pass is needed")
}

// Runs over other rows of an engine differ in what members compare, as a difference of two totals shows it.
func TestRowsOfAnEngineAreToldApart(t *testing.T) {
	added := func(digest string) string {
		var all []byte
		if _, err := newRowsKey(t.TempDir(), far{digest}, nil, func(row []byte) { all = append(all, row...) }); err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	first, again, other := added("a"), added("a"), added("b")
	if first != again || first == other || first == "" {
		t.Errorf("got %q and %q for the digest a, and %q for b", first, again, other)
	}
}
