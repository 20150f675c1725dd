package npz

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"strings"
)

// Writer writes an archive, with members in the order of the calls. After an error the archive
// is incomplete.
type Writer struct {
	zip   *zip.Writer
	names map[string]bool
}

// NewWriter starts an archive on w. Close finishes the archive and leaves w open.
func NewWriter(w io.Writer) *Writer {
	return &Writer{zip: zip.NewWriter(w), names: make(map[string]bool)}
}

// Put adds an array, which numpy.load returns under the name. It panics if the shape does not
// match the data.
func Put[T Number](w *Writer, name string, a Array[T]) error {
	if n, ok := elements(a.Shape, math.MaxInt64); !ok || n != int64(len(a.Data)) {
		panic(fmt.Sprintf("npz: %q: shape %v does not match %d elements", name, a.Shape, len(a.Data)))
	}
	kind, size := descr[T]()
	b := append(make([]byte, 0, 256+size*int64(len(a.Data))), header(kind, a.Shape)...)
	return w.add(name+".npy", appendData(b, a.Data))
}

// File adds a plain file. numpy.load returns its bytes under the full name.
func (w *Writer) File(name string, content []byte) error {
	if strings.HasSuffix(name, ".npy") {
		return fmt.Errorf("npz: %q: the ending .npy is for arrays", name)
	}
	return w.add(name, content)
}

// Close writes the directory of members.
func (w *Writer) Close() error { return w.zip.Close() }

// earliest is 1 January 1980, the first day that a zip file can express.
const earliest = 1<<5 | 1

func (w *Writer) add(name string, content []byte) error {
	if !validName(name) || w.names[name] {
		return fmt.Errorf("npz: %q: want a new plain file name", name)
	}
	w.names[name] = true
	out, err := w.zip.CreateRaw(&zip.FileHeader{
		Name:               name,
		Method:             zip.Store,
		ModifiedDate:       earliest, //nolint:staticcheck // CreateRaw looks at the DOS date alone, not at Modified
		CRC32:              crc32.ChecksumIEEE(content),
		CompressedSize64:   uint64(len(content)),
		UncompressedSize64: uint64(len(content)),
	})
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}

// header returns magic, version and description of an array, padded so that data begin at a
// multiple of 64.
func header(kind string, shape []int) []byte {
	var dims strings.Builder
	for _, d := range shape {
		dims.WriteString(strconv.Itoa(d) + ", ")
	}
	tuple := strings.TrimSuffix(dims.String(), " ") // "2, 3," or "2," or ""
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, tuple)
	length := len(text) + 1
	length += (64 - (len(magic)+2+length)%64) % 64
	b := append([]byte(magic), byte(length), byte(length>>8))
	b = append(b, text...)
	for len(b) < len(magic)+2+length-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// magic begins a .npy file of version 1.0; two bytes of header length follow.
const magic = "\x93NUMPY\x01\x00"
