package npz_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/npz"
)

// pack makes an archive by hand, as another program would.
func pack(t testing.TB, method uint16, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		out, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = out.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// array is a .npy file with the given header and two float64 of data.
func array(header string) string {
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + strings.Repeat("\x00", 16)
}

const fine = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"

func TestReadsOtherWriters(t *testing.T) {
	for name, header := range map[string]string{
		"as NumPy":      fine,
		"other order":   "{'shape': (2,), 'fortran_order': False, 'descr': '<f8'}",
		"blanks":        "{ 'descr' : '<f8' ,'fortran_order':False , 'shape':( 2 , ) }   \n",
		"Fortran, flat": strings.Replace(fine, "False", "True", 1),
		"two ranks":     strings.Replace(fine, "(2,)", "(1, 2)", 1),
	} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			a := open(t, pack(t, method, "x.npy", array(header)))
			if got, err := npz.Get[float64](a, "x"); err != nil || len(got.Data) != 2 {
				t.Errorf("%s, zip method %d: got %v, %v", name, method, got, err)
			}
		}
	}
}

func TestBadArrays(t *testing.T) {
	long := array(fine)
	for name, c := range map[string]struct {
		content string
		kind    error
	}{
		"empty":            {"", npz.ErrFormat},
		"no magic":         {"NUMPY" + long, npz.ErrFormat},
		"version 2":        {"\x93NUMPY\x02" + long[7:], npz.ErrUnsupported},
		"header cut":       {long[:30], npz.ErrFormat},
		"data cut":         {long[:len(long)-1], npz.ErrFormat},
		"data left":        {long + "\x00", npz.ErrFormat},
		"pickle":           {array(strings.Replace(fine, "<f8", "|O", 1)), npz.ErrUnsupported},
		"big endian":       {array(strings.Replace(fine, "<f8", ">f8", 1)), npz.ErrUnsupported},
		"Fortran":          {array("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }\n"), npz.ErrUnsupported},
		"negative":         {array(strings.Replace(fine, "(2,)", "(-2,)", 1)), npz.ErrFormat},
		"overflow":         {array(strings.Replace(fine, "(2,)", "(4294967296, 4294967296, 2)", 1)), npz.ErrFormat},
		"number overflow":  {array(strings.Replace(fine, "(2,)", "(99999999999999999999,)", 1)), npz.ErrFormat},
		"huge":             {array(strings.Replace(fine, "(2,)", "(1000000000000,)", 1)), npz.ErrFormat},
		"huge times none":  {array(strings.Replace(fine, "(2,)", "(1000000000000, 0)", 1)), npz.ErrFormat},
		"no tuple":         {array(strings.Replace(fine, "(2,)", "(2)", 1)), npz.ErrFormat},
		"rank 33":          {array(strings.Replace(fine, "(2,)", "("+strings.Repeat("1,", 33)+")", 1)), npz.ErrFormat},
		"key twice":        {array("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"), npz.ErrFormat},
		"key missing":      {array("{'descr': '<f8', 'shape': (2,), }\n"), npz.ErrFormat},
		"key unknown":      {array("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}\n"), npz.ErrFormat},
		"code":             {array("{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,), }\n"), npz.ErrFormat},
		"after the header": {array(fine + "x"), npz.ErrFormat},
	} {
		a := open(t, pack(t, zip.Store, "x.npy", c.content))
		_, err := npz.Get[float64](a, "x")
		var typed *npz.Error
		if !errors.Is(err, c.kind) || !errors.As(err, &typed) || typed.Member == "" {
			t.Errorf("%s: got %v, want an error of kind %q", name, err, c.kind)
		}
	}
}

func TestBadArchives(t *testing.T) {
	good := pack(t, zip.Store, "x.npy", array(fine))
	for name, c := range map[string]struct {
		archive []byte
		kind    error
	}{
		"empty":       {nil, npz.ErrFormat},
		"text":        {[]byte("means,1,2\n"), npz.ErrFormat},
		"cut":         {good[:len(good)-5], npz.ErrFormat},
		"twice":       {pack(t, zip.Store, "x.npy", array(fine), "x.npy", array(fine)), npz.ErrFormat},
		"path":        {pack(t, zip.Store, "../x.npy", array(fine)), npz.ErrFormat},
		"false size":  {patch(good, 24, 0xff), npz.ErrFormat},
		"zip method":  {patch(good, 10, 99), npz.ErrUnsupported},
		"packed size": {patch(good, 23, 0x7f), npz.ErrFormat},
	} {
		if _, err := npz.Open(bytes.NewReader(c.archive), int64(len(c.archive))); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want an error of kind %q", name, err, c.kind)
		}
	}
}

// Members that overlap are refused, because each could claim the whole file.
func TestOverlappingMembers(t *testing.T) {
	long := array(fine) + strings.Repeat("\x00", 1000)
	one := pack(t, zip.Store, "x.npy", long)
	at := bytes.Index(one, []byte("PK\x01\x02")) // where the directory is, of one entry
	end := bytes.Index(one, []byte("PK\x05\x06"))
	other := bytes.Replace(one[at:end], []byte("x.npy"), []byte("y.npy"), 1)
	overlapping := append(append(append([]byte{}, one[:end]...), other...), one[end:]...)
	tail := overlapping[len(overlapping)-22:]
	tail[8], tail[10] = 2, 2 // entries
	binary.LittleEndian.PutUint32(tail[12:], uint32(2*(end-at)))
	if _, err := npz.Open(bytes.NewReader(overlapping), int64(len(overlapping))); !errors.Is(err, npz.ErrFormat) || !strings.Contains(err.Error(), "y.npy") || !strings.Contains(err.Error(), "they overlap") {
		t.Errorf("got %v", err)
	}
}

// patch changes a byte of the first entry in the directory of members.
func patch(archive []byte, offset int, value byte) []byte {
	b := bytes.Clone(archive)
	b[bytes.Index(b, []byte("PK\x01\x02"))+offset] = value
	return b
}

func TestDamageIsSeen(t *testing.T) {
	b := pack(t, zip.Store, "x.npy", array(fine))
	at := bytes.Index(b, []byte("(2,), }\n")) + 10 // in the data
	b[at] ^= 1
	if _, err := npz.Get[float64](open(t, b), "x"); !errors.Is(err, npz.ErrFormat) {
		t.Errorf("got %v, want a checksum error", err)
	}
}

func TestMissingAndMistyped(t *testing.T) {
	a := open(t, pack(t, zip.Store, "x.npy", array(fine)))
	if _, err := npz.Get[float64](a, "y"); !errors.Is(err, npz.ErrMissing) {
		t.Errorf("got %v, want %q", err, npz.ErrMissing)
	}
	if _, err := npz.Get[int64](a, "x"); !errors.Is(err, npz.ErrUnsupported) {
		t.Errorf("got %v, want %q", err, npz.ErrUnsupported)
	}
}

// archive makes an archive from the bytes: members with valid arrays, each with at most one fault,
// and then changes of any bytes.
func archive(t testing.TB, in []byte) []byte {
	next := func() (c byte) {
		if len(in) > 0 {
			c, in = in[0], in[1:]
		}
		return c
	}
	pick := func(of ...string) string { return of[int(next())%len(of)] }
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for range 1 + next()%4 {
		dims := []string{"", "0,", "1,", "2,", "3, 1", "2, 2, 2", "1, 0, 7", " 4 ,", "4294967296, 2", "-1,", "2"}
		order := pick("False", "False", "False", "True", "None")
		kind := pick("<f8", "<f8", "<i8", "|u1", "|b1", ">f8", "<f4", "|O", "")
		shape := dims[int(next())%len(dims)]
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }%s", kind, order, shape, pick("\n", "   \n", "", "x"))
		if c := next(); c >= 240 && len(header) > 0 { // a character more or less
			at := int(next()) % len(header)
			header = header[:at] + pick("", "'", "(", ",", "\\", "9") + header[at+1:]
		}
		content := pick("\x93NUMPY\x01\x00", "\x93NUMPY\x01\x00", "\x93NUMPY\x02\x00", "\x93NUMPY", "") +
			string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header
		elements := map[string]int{"2,": 2, "1,": 1, "3, 1": 3, "2, 2, 2": 8, " 4 ,": 4, "": 1, "2": 2}[shape]
		size := map[string]int{"|u1": 1, "|b1": 1, "<f4": 4}[kind]
		content += strings.Repeat(string([]byte{next()}), elements*cmp.Or(size, 8))
		if c := next(); c >= 250 {
			content = content[:len(content)-min(len(content), int(c-249))]
		}
		name := pick("x.npy", "y.npy", "z.npy", "manifest.json", "../x.npy", "x", "")
		if name == "manifest.json" {
			content = strings.Repeat("{}", int(next()))
		}
		member(t, w, name, next(), content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out := b.Bytes()
	for range min(next(), 8) {
		at := int(next())<<8 | int(next())
		if from := bytes.Index(out, []byte("PK\x01\x02")); at%2 == 0 && from >= 0 { // in the directory
			at = from + at/2%(len(out)-from)
		}
		out[at%len(out)] = next()
	}
	return out[:len(out)-int(next())%64*int(next()%2)%len(out)]
}

func member(t testing.TB, w *zip.Writer, name string, method byte, content string) {
	t.Helper()
	out, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: []uint16{zip.Store, zip.Deflate}[method%2]})
	if err == nil {
		_, err = io.WriteString(out, content)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzOpen reads every member, in every type, of any bytes and of archives that are nearly valid.
// The result is an error or data, never a panic, and never more data than the bytes can hold.
func FuzzOpen(f *testing.F) {
	f.Add(write(f, example))
	f.Add(pack(f, zip.Deflate, "x.npy", array(fine)))
	f.Add(pack(f, zip.Store, "x.npy", array("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }\n")))
	f.Add([]byte{3})
	f.Add(bytes.Repeat([]byte{3, 1, 4, 1, 5, 9, 2, 6}, 8))
	f.Add(bytes.Repeat([]byte{250, 0, 241, 7, 255}, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !bytes.HasPrefix(b, []byte("PK")) {
			b = archive(t, b)
		}
		a, err := npz.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, full := range a.Names() {
			name, isArray := strings.CutSuffix(full, ".npy")
			if !isArray {
				_, _ = a.File(full)
				continue
			}
			check[float64](t, a, name)
			check[int64](t, a, name)
			check[uint8](t, a, name)
		}
	})
}

func check[T npz.Number](t *testing.T, a *npz.Archive, name string) {
	got, err := npz.Get[T](a, name)
	if err != nil {
		return
	}
	n := 1
	for _, d := range got.Shape {
		n *= d
	}
	if n != len(got.Data) {
		t.Fatalf("shape %v with %d elements", got.Shape, len(got.Data))
	}
}

// FuzzHeader puts any text in the place of an array's description.
func FuzzHeader(f *testing.F) {
	f.Add(fine)
	f.Add("{'descr': '<f8', 'fortran_order': True, 'shape': (), }")
	f.Add("{'shape': (1, 2), 'descr': '|u1', 'fortran_order': False}\n")
	f.Fuzz(func(t *testing.T, header string) {
		if len(header) > 1<<16-1 {
			return
		}
		a := open(t, pack(t, zip.Store, "x.npy", array(header)))
		check[float64](t, a, "x")
		check[uint8](t, a, "x")
	})
}
