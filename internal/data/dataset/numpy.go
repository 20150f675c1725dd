package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/npz"
)

// numpyFile is a table over an array of one or two dimensions, or of records with fields.
type numpyFile struct {
	*file
	data    io.ReaderAt
	columns []numpyColumn
	n       int
	// rowSize is the distance between rows, size the length of all values, in bytes.
	rowSize, size int64
}

// numpyColumn is the place and type of a column's values.
type numpyColumn struct {
	name   string
	offset int64 // offset of the first value
	size   int64 // bytes per value
	numpyType
}

var (
	numpyFormat   = &fileFormat{endings: []string{".npy"}, open: openNumpy}
	archiveFormat = &fileFormat{endings: []string{".npz"}, open: openArchive}
)

func openNumpy(path string, before fs.FileInfo, _ CSV) (table, error) {
	return openArray(path, before, func(f *file) (io.ReaderAt, int64, error) { return f, f.size(), nil })
}

// openArchive opens an .npz file with one array.
func openArchive(path string, before fs.FileInfo, _ CSV) (table, error) {
	return openArray(path, before, func(f *file) (io.ReaderAt, int64, error) {
		archive, err := npz.Open(f, f.size())
		if err != nil {
			return nil, 0, err
		}
		names := archive.Names()
		if len(names) != 1 || !strings.HasSuffix(names[0], ".npy") {
			return nil, 0, &Error{File: path, Msg: "want an .npz file with one array, got " + quoted(names), Hint: "save the rows by themselves, with numpy.save"}
		}
		start, size, err := archive.Section(names[0])
		if errors.Is(err, npz.ErrUnsupported) {
			return nil, 0, &Error{File: path, Msg: "the array is compressed, so that its rows cannot be found", Hint: "save it with numpy.save"}
		}
		return io.NewSectionReader(f, start, size), size, err
	})
}

// openArray opens the array whose bytes find returns.
func openArray(path string, before fs.FileInfo, find func(*file) (io.ReaderAt, int64, error)) (table, error) {
	f, err := openFile(path, before)
	if err != nil {
		return nil, err
	}
	t := &numpyFile{file: f}
	var l *npz.Layout
	if t.data, t.size, err = find(f); err == nil {
		l, err = npz.ReadLayout(t.data, t.size, "")
	}
	if err == nil {
		err = t.place(l)
	}
	if err == nil {
		err = checkNames(path, 0, t.header())
	}
	if err != nil {
		f.close()
		return nil, t.fault(err)
	}
	return t, nil
}

// place computes where the values of each column are.
func (t *numpyFile) place(l *npz.Layout) error {
	if len(l.Shape) == 0 || len(l.Shape) > 2 || len(l.Shape) == 2 && l.Fields[0].Name != "" {
		return &Error{File: t.path, Msg: fmt.Sprintf("want an array of two dimensions, or records in one, got shape %v", l.Shape), Hint: "reshape it, a sample a row"}
	}
	if f := l.Fields[0]; f.Name == "" && numpyTypeOf(f.Type).kind == kindOther {
		return &Error{File: t.path, Msg: fmt.Sprintf("want an array of numbers of at most 64 bits, got elements of type %s", f.Type), Hint: "save it as float64 with numpy.save"}
	}
	t.n = l.Shape[0]
	t.rowSize = l.Size
	if len(l.Shape) == 2 {
		width, step := l.Shape[1], l.Size
		if l.Fortran {
			step *= int64(t.n)
		} else {
			t.rowSize *= int64(width)
		}
		element := l.Fields[0]
		l.Fields = nil
		for j := range width {
			element.Offset = int64(j) * step
			l.Fields = append(l.Fields, element)
		}
	}
	for j, f := range l.Fields {
		c := numpyColumn{name: strings.TrimSpace(f.Name), offset: l.Start + f.Offset, size: f.Size, numpyType: numpyTypeOf(f.Type)}
		if c.name == "" {
			c.name = fmt.Sprintf("c%d", j+1)
		}
		t.columns = append(t.columns, c)
	}
	return nil
}

// fault wraps an error as an [*Error].
func (t *numpyFile) fault(err error) error {
	switch known := t.file.fault(err); {
	case known != nil:
		return known
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{File: t.path, Msg: "the file ends too early", Hint: "copy it again"}
	}
	hint := "write it again with numpy.save"
	if errors.Is(err, npz.ErrUnsupported) {
		hint = "save it as float64 with numpy.save"
	}
	return &Error{File: t.path, Msg: strings.TrimPrefix(err.Error(), `"": `), Hint: hint}
}

func (t *numpyFile) total() int     { return t.n }
func (t *numpyFile) format() string { return "NumPy" }

func (t *numpyFile) header() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

func (t *numpyFile) kinds(int) ([]kind, place, error) {
	if t.n == 0 {
		return nil, place{}, io.EOF
	}
	kinds := make([]kind, len(t.columns))
	for i, c := range t.columns {
		kinds[i] = c.kind
	}
	return kinds, place{row: 1}, nil
}

func (t *numpyFile) read(features, others []int) (rowReader, error) {
	kinds, _, err := t.kinds(0)
	if err == nil {
		err = checkKinds(t.path, t.header(), kinds, features, others)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return newNumberedRows(&numpyReader{file: t, features: features, blocks: make(map[*numpyColumn]*numpyBlock)}, features, others, t.n), nil
}

// numpyReader reads a block of rows at once if the array is row-major, and a long piece of one
// column if it is column-major.
type numpyReader struct {
	file     *numpyFile
	features []int
	blocks   map[*numpyColumn]*numpyBlock
}

// numpyBlock holds the bytes of rows, beginning with the first byte of a column's value.
type numpyBlock struct {
	first, end int
	bytes      []byte
}

// columnBytes is the number of bytes read at a time of a column stored by itself.
const columnBytes = 1 << 15

func (r *numpyReader) numbers(x []float64, from int) error {
	m := len(r.features)
	n := len(x) / m
	for j := 0; j < m; {
		// All columns within the bytes read for the first.
		first := &r.file.columns[r.features[j]]
		b, err := r.load(first, from, n)
		if err != nil {
			return err
		}
		for ; j < m; j++ {
			c := &r.file.columns[r.features[j]]
			offset := c.offset - first.offset
			if offset < 0 || offset+c.size > r.file.rowSize {
				break
			}
			c.numbers(x[j:], m, b[offset:], int(r.file.rowSize), n)
		}
	}
	return nil
}

// load returns n rows, beginning with the first byte of a column's value.
func (r *numpyReader) load(c *numpyColumn, from, n int) ([]byte, error) {
	t := r.file
	b := r.blocks[c]
	if b == nil {
		b = &numpyBlock{}
		r.blocks[c] = b
	}
	if from < b.first || from+n > b.end {
		rows := n
		if t.rowSize == c.size {
			rows = min(max(n, columnBytes/int(c.size)), t.n-from)
		}
		offset := c.offset + int64(from)*t.rowSize
		size := min(int64(rows)*t.rowSize, t.size-offset) // the last row ends before the next row's columns
		b.first, b.end = 0, 0
		b.bytes = slices.Grow(b.bytes[:0], int(size))[:size]
		if got, err := t.data.ReadAt(b.bytes, offset); got < len(b.bytes) {
			return nil, t.fault(err)
		}
		b.first, b.end = from, from+rows
	}
	return b.bytes[int64(from-b.first)*t.rowSize:], nil
}

func (r *numpyReader) texts(dst []string, column, from int) error {
	c := &r.file.columns[column]
	b, err := r.load(c, from, len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = c.text(b[i*int(r.file.rowSize):][:c.size])
	}
	return nil
}
