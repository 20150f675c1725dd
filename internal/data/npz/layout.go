package npz

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"math"
	"strconv"
	"strings"
)

// Layout describes where the values of a .npy file are, for reading by offsets.
type Layout struct {
	// Fields holds the fields of a structured type, or one without a name.
	Fields []Field
	Shape  []int
	// Fortran reports whether the first index varies fastest, not the last.
	Fortran bool
	// Start is the offset of the data, Size the bytes per element.
	Start, Size int64
}

// Field is a part of each element of an array.
type Field struct {
	Name string
	// Type is NumPy's name with byte order, such as <f8.
	Type string
	// Offset is the field's first byte in its element, Size its length in bytes.
	Offset, Size int64
}

// mostHeader bounds the memory taken for a header.
const mostHeader = 1 << 20

// ReadLayout reads the header of a .npy file of version 1, 2 or 3 with the given size in bytes.
// Elements may have any type of fixed size except Python objects. name appears in errors.
func ReadLayout(r io.ReaderAt, size int64, name string) (*Layout, error) {
	text, start, err := readHeader(r, size, name)
	if err != nil {
		return nil, err
	}
	d, ok := parseDict(text)
	if !ok {
		return nil, fault(ErrFormat, name, "malformed or unsupported header %q", text[:min(len(text), 100)])
	}
	l := &Layout{Fields: d.fields, Shape: d.shape, Fortran: d.fortran && len(d.shape) > 1, Start: start}
	if d.kind != "" {
		l.Fields = []Field{{Type: d.kind}}
	}
	for i := range l.Fields {
		f := &l.Fields[i]
		f.Offset = l.Size
		if f.Size, ok = sizeOf(f.Type); !ok {
			return nil, fault(ErrUnsupported, name, "elements of type %s cannot be read", f.Type)
		}
		l.Size += f.Size
	}
	n, ok := elements(d.shape, math.MaxInt64/max(l.Size, 1))
	if !ok || n*l.Size != size-start {
		return nil, fault(ErrFormat, name, "shape %v with %d bytes per element does not match the %d bytes of data", d.shape, l.Size, size-start)
	}
	return l, nil
}

// readHeader returns the dictionary and the offset of the data.
func readHeader(r io.ReaderAt, size int64, name string) (text string, start int64, err error) {
	var fixed [12]byte
	n := min(int64(len(fixed)), size)
	if _, err := r.ReadAt(fixed[:n], 0); err != nil && err != io.EOF {
		return "", 0, err
	}
	if n < int64(len(fixed)) || string(fixed[:6]) != magic[:6] {
		return "", 0, fault(ErrFormat, name, "not a NumPy array")
	}
	length := int64(binary.LittleEndian.Uint16(fixed[8:]))
	start = 10
	switch fixed[6] {
	case 1:
	case 2, 3:
		length = int64(binary.LittleEndian.Uint32(fixed[8:]))
		start = 12
	default:
		return "", 0, fault(ErrUnsupported, name, "want .npy version 1, 2 or 3, got %d.%d", fixed[6], fixed[7])
	}
	switch {
	case length > mostHeader:
		return "", 0, fault(ErrTooLarge, name, "want a header of at most %d bytes, got %d", mostHeader, length)
	case length > size-start:
		return "", 0, fault(ErrFormat, name, "the header ends after the file")
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, start); err != nil && err != io.EOF {
		return "", 0, err
	}
	return string(b), start + length, nil
}

// sizeOf returns the bytes per element. ok is false if only the writing program can interpret
// them.
func sizeOf(kind string) (size int64, ok bool) {
	if len(kind) < 3 || !strings.Contains("<>|=", kind[:1]) || !strings.Contains("biufcSUmM", kind[1:2]) {
		return 0, false
	}
	digits, _, _ := strings.Cut(kind[2:], "[") // the unit of a time
	n, err := strconv.ParseUint(digits, 10, 24)
	if kind[1] == 'U' {
		n *= 4
	}
	return int64(n), err == nil && n > 0
}

// Section returns the place of an array, or of another member, in the archive. It must not be
// compressed.
func (a *Archive) Section(name string) (start, size int64, err error) {
	f, err := a.member(name)
	if err != nil {
		return 0, 0, err
	}
	if f.Method != zip.Store {
		return 0, 0, fault(ErrUnsupported, name, "the member is compressed")
	}
	if start, err = f.DataOffset(); err != nil {
		return 0, 0, fault(ErrFormat, name, "cannot be found: %v", err)
	}
	return start, int64(f.UncompressedSize64), nil
}
