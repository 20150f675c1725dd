package fedgem

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

func exampleRegions(full bool) []region {
	out := []region{
		{rows: 12.5, centre: []float64{1, -2}, radius: 0.25, spread: 2},
		{rows: 0, centre: []float64{0, 1e-9}, radius: 0, spread: 1},
	}
	for i := range out {
		if full {
			out[i].shape = []float64{2, 0.5, 0.5, 1 + float64(i)}
		}
	}
	return out
}

func TestBlobsComeBack(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, settled := range []bool{false, true} {
			want := exampleRegions(full)
			blob := encode(want, settled)
			got, again, err := decode(blob, 2, full)
			if err != nil || again != settled || !reflect.DeepEqual(got, want) {
				t.Errorf("full %t: got %+v, %t, %v", full, got, again, err)
			}
			if size := map[bool]int{false: 8 + 8*2*5, true: 8 + 8*2*8}[full]; len(blob) != size {
				t.Errorf("full %t: %d bytes, want %d", full, len(blob), size)
			}
		}
	}
}

func TestBlobsThatCannotBe(t *testing.T) {
	change := func(full bool, f func(r []region)) []byte {
		r := exampleRegions(full)
		f(r)
		return encode(r, false)
	}
	header := func(at int, v byte) []byte {
		b := encode(exampleRegions(false), false)
		b[at] = v
		return b
	}
	for want, blob := range map[string][]byte{
		"want clusters in format version 1, got 0 bytes":  {},
		"want clusters in format version 1, got 88 bytes": header(0, 2),
		"full covariances: want false, as at this member": change(true, func([]region) {}),
		"got a header 01000200":                           header(2, 2),
		"want 2 columns, as this member has, got 3":       header(7, 3),
		"want 1 to 4096 clusters of 5 values each, got 0": header(5, 0),
		"got 3 clusters in 88 bytes":                      header(5, 3),
		"cluster 2 of 2: want values of at most 1e+100":   change(false, func(r []region) { r[1].centre[0] = math.NaN() }),
		"got 1e+101": change(false, func(r []region) { r[1].centre[1] = 1e101 }),
		"cluster 1 of 2: rows: want at least 0, got -1": change(false, func(r []region) { r[0].rows = -1 }),
		"radius: want at least 0":                       change(false, func(r []region) { r[0].radius = -1 }),
	} {
		if _, _, err := decode(blob, 2, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	flat := change(true, func(r []region) { r[1].shape = []float64{1, 1, 1, 1} })
	if _, _, err := decode(flat, 2, true); err == nil || !strings.Contains(err.Error(), "cluster 2 of 2: covariance: want a positive definite matrix") {
		t.Errorf("got %v", err)
	}
}

// encode reproduces every message that decode accepts, and no such message breaks the shared step.
func FuzzDecode(f *testing.F) {
	f.Add(encode(exampleRegions(false), true), false)
	f.Add(encode(exampleRegions(true), false), true)
	f.Fuzz(func(t *testing.T, blob []byte, full bool) {
		regions, settled, err := decode(blob, 2, full)
		if err != nil {
			return
		}
		if !bytes.Equal(encode(regions, settled), blob) {
			t.Fatalf("%x came back as another", blob)
		}
		of, count := joined(links(regions), regions, make([]int, len(regions)), false)
		for i, c := range pool(regions, of, count) {
			if !(c.Rows >= minRows) || c.Parts < 1 {
				t.Fatalf("cluster %d: %+v", i, c)
			}
		}
	})
}
