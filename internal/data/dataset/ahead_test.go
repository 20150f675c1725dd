package dataset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// blocks writes a file with the rows of some blocks. The last block is one row.
func blocks(t *testing.T, n int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("x\n")
	for i := range (n-1)*rows.PerBlock + 1 {
		fmt.Fprintln(&b, i+1)
	}
	folder(t, "a.csv", b.String())
}

// A block is prepared while the one before is in use, which keeps its rows and the series meanwhile.
func TestScanReadsAhead(t *testing.T) {
	const n = 4
	blocks(t, n)
	synctest.Test(t, func(t *testing.T) { // which fails when all wait for each other
		for _, window := range []int{0, 3} {
			spec := dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"x"}, Window: window, Series: &dataset.Series{}}
			prepared := make(chan int, n)
			begun, done := 0, 0
			_, err := dataset.ScanAhead(spec, uncarried, func(b dataset.Block) (func() error, error) {
				begun++
				prepared <- begun
				return func() error {
					if done++; done == 1 {
						<-prepared
					}
					if done < n {
						<-prepared // the next block
					}
					last := len(b.Numbers) - 1
					if first := (done - 1) * rows.PerBlock; b.Numbers[0] != first+1 || b.X.At(0, 0) != float64(first+1) || b.X.At(last, 0) != float64(first+last+1) {
						t.Errorf("block %d begins with row %d, and has %v to %v", done, b.Numbers[0], b.X.At(0, 0), b.X.At(last, 0))
					}
					if spec.Series.Rows != b.Numbers[last] {
						t.Errorf("block %d: the series has %d rows, want %d", done, spec.Series.Rows, b.Numbers[last])
					}
					var recent []float64
					for _, cells := range spec.Series.Recent {
						recent = append(recent, *cells[0])
					}
					var want []float64
					for k := window - 1; k > 0; k-- {
						want = append(want, float64(b.Numbers[last]-k+1))
					}
					if !slices.Equal(recent, want) {
						t.Errorf("block %d: the series ends in %v, want %v", done, recent, want)
					}
					return nil
				}, nil
			})
			if err != nil || done != n {
				t.Errorf("window %d: %d blocks, %v", window, done, err)
			}
		}
	})
}

// An error or a panic of either stage ends a scan, after the blocks before it, and no goroutine is left.
func TestScanAheadEnds(t *testing.T) {
	blocks(t, 5)
	bad := errors.New("bad")
	fail := func(panics bool) error {
		if panics {
			panic("bad")
		}
		return bad
	}
	for _, first := range []bool{false, true} {
		for _, panics := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { // which waits for all goroutines
				begun, done := 0, 0
				defer func() {
					if p := recover(); (p != nil) != panics || done != 1 {
						t.Errorf("first stage %t, panics %t: got %v after %d blocks", first, panics, p, done)
					}
				}()
				_, err := dataset.ScanAhead(dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"x"}}, uncarried, func(dataset.Block) (func() error, error) {
					if begun++; begun == 2 && first {
						return nil, fail(panics)
					}
					return func() error {
						if done == 1 {
							return fail(panics)
						}
						done++
						return nil
					}, nil
				})
				if !errors.Is(err, bad) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
