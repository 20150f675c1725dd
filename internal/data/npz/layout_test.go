package npz_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/npz"
)

func layoutOf(content string) (*npz.Layout, error) {
	return npz.ReadLayout(strings.NewReader(content), int64(len(content)), "x")
}

func TestLayout(t *testing.T) {
	const records = "{'descr': [('a', '<f8'), ('b', '|S3'), ('c', '<U1'), ('d', '|u1')], 'fortran_order': False, 'shape': (1,), }"
	for name, c := range map[string]struct {
		content string
		want    npz.Layout
	}{
		"plain":   {array(fine), npz.Layout{Fields: []npz.Field{{Type: "<f8", Size: 8}}, Shape: []int{2}, Size: 8}},
		"Fortran": {array("{'descr': '>f4', 'fortran_order': True, 'shape': (2, 2), }"), npz.Layout{Fields: []npz.Field{{Type: ">f4", Size: 4}}, Shape: []int{2, 2}, Fortran: true, Size: 4}},
		"records": {array(records), npz.Layout{
			Fields: []npz.Field{{"a", "<f8", 0, 8}, {"b", "|S3", 8, 3}, {"c", "<U1", 11, 4}, {"d", "|u1", 15, 1}},
			Shape:  []int{1}, Size: 16,
		}},
	} {
		got, err := layoutOf(c.content)
		c.want.Start = int64(len(c.content) - 16) // of data
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestBadLayouts(t *testing.T) {
	long := array(fine)
	for name, c := range map[string]struct {
		content string
		kind    error
	}{
		"empty":       {"", npz.ErrFormat},
		"no magic":    {"NUMPY" + long, npz.ErrFormat},
		"version 4":   {"\x93NUMPY\x04" + long[7:], npz.ErrUnsupported},
		"header cut":  {long[:30], npz.ErrFormat},
		"data cut":    {long[:len(long)-1], npz.ErrFormat},
		"long header": {"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + long, npz.ErrTooLarge},
		"object":      {array(strings.Replace(fine, "<f8", "|O8", 1)), npz.ErrUnsupported},
		"no size":     {array(strings.Replace(fine, "<f8", "|V", 1)), npz.ErrUnsupported},
		"sub-array":   {array(strings.Replace(fine, "'<f8'", "[('a', '<f8', (2,))]", 1)), npz.ErrFormat},
		"no fields":   {array(strings.Replace(fine, "'<f8'", "[]", 1)), npz.ErrFormat},
		"overflow":    {array(strings.Replace(fine, "(2,)", "(4294967296, 4294967296, 2)", 1)), npz.ErrFormat},
	} {
		if _, err := layoutOf(c.content); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", name, err, c.kind)
		}
	}
}

func TestSection(t *testing.T) {
	content := pack(t, zip.Store, "a.npy", array(fine), "b.npy", "bbb")
	a := open(t, content)
	start, size, err := a.Section("b.npy")
	if err != nil || string(content[start:start+size]) != "bbb" {
		t.Errorf("got %d bytes from %d on, %v", size, start, err)
	}
	if _, _, err := a.Section("c.npy"); !errors.Is(err, npz.ErrMissing) {
		t.Errorf("got %v", err)
	}
	if _, _, err := open(t, pack(t, zip.Deflate, "a.npy", array(fine))).Section("a.npy"); !errors.Is(err, npz.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

// FuzzLayout reads any bytes. The result is an error, or values that are all in the file.
func FuzzLayout(f *testing.F) {
	f.Add([]byte(array(fine)))
	f.Add([]byte(array("{'descr': [('a', '<f8'), ('b', '|S8')], 'fortran_order': True, 'shape': (1,), }")))
	f.Fuzz(func(t *testing.T, content []byte) {
		l, err := npz.ReadLayout(bytes.NewReader(content), int64(len(content)), "x")
		if err != nil {
			return
		}
		n := int64(1)
		for _, d := range l.Shape {
			n *= int64(d)
		}
		if l.Start < 0 || l.Start+n*l.Size != int64(len(content)) {
			t.Fatalf("%+v of %d bytes", l, len(content))
		}
		for _, field := range l.Fields {
			if field.Offset < 0 || field.Size < 1 || field.Offset+field.Size > l.Size {
				t.Fatalf("field %+v of %d bytes", field, l.Size)
			}
		}
	})
}
