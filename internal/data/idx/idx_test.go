package idx

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// two images of 1 by 3 pixels
var images = []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255}

func TestArraysAreRead(t *testing.T) {
	for _, r := range []io.Reader{bytes.NewReader(images), iotest.OneByteReader(bytes.NewReader(images))} {
		a, err := Read(r)
		if err != nil || !slices.Equal(a.Shape, []int{2, 1, 3}) || !slices.Equal(a.Data, []byte{1, 2, 3, 4, 5, 255}) {
			t.Errorf("got %+v, %v", a, err)
		}
	}
}

func TestFilesThatAreNotArrays(t *testing.T) {
	change := func(at int, to byte) []byte {
		b := slices.Clone(images)
		b[at] = to
		return b
	}
	for want, b := range map[string][]byte{
		"ends in the magic number":    images[:3],
		"ends in the dimensions":      images[:15],
		"begins with two zero bytes":  change(0, 0x1f),
		"got 0x0d":                    change(2, 0x0d),
		"1 to 4 dimensions, got 0":    change(3, 0),
		"1 to 4 dimensions, got 9":    change(3, 9),
		"got 0 as number 1":           change(7, 0),
		"got 2147483650 as number 1":  change(4, 0x80),
		"want 6 values, got 5":        images[:len(images)-1],
		"want 6 values, got more":     append(slices.Clone(images), 0),
		"want at most 4294967296":     change(8, 0x7f),
		"want 1572870 values, got 6:": change(9, 4),
	} {
		if a, err := Read(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want %q", a, err, want)
		}
	}
	if _, err := Read(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: got %v", err)
	}
}

// FuzzRead proves that an array read equals the bytes of the file, whatever they are.
func FuzzRead(f *testing.F) {
	f.Add(images)
	f.Add(images[:9])
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		size := 1
		for _, n := range a.Shape {
			size *= n
		}
		if size != len(a.Data) || !bytes.HasSuffix(b, a.Data) || len(b) != 4+4*len(a.Shape)+size {
			t.Errorf("%d bytes: shape %v, %d values", len(b), a.Shape, len(a.Data))
		}
	})
}
