package npz

import (
	"archive/zip"
	"io"
	"strings"
)

// MaxMember is the largest size of a member in bytes, 4 GiB.
const MaxMember = 1 << 32

// maxRatio exceeds the largest ratio of deflate (1032): a member that claims more is refused
// before memory is allocated.
const maxRatio = 1100

// Archive is an .npz file open for reading. Its methods may be called concurrently if the
// io.ReaderAt allows that.
type Archive struct {
	names   []string
	members map[string]*zip.File
}

// zipBegin is what a zip archive begins with; its directory is at the end.
const zipBegin = "PK\x03\x04"

// Open reads the directory of an archive of the given size in r, which must stay open.
func Open(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		begin := make([]byte, len(zipBegin))
		if _, failed := r.ReadAt(begin, 0); failed == nil && string(begin) == zipBegin {
			return nil, fault(ErrFormat, "", "the .npz file is damaged, such as cut off: %v", err)
		}
		return nil, fault(ErrFormat, "", "not an .npz file: %v", err)
	}
	a := &Archive{members: make(map[string]*zip.File, len(z.File))}
	left := uint64(size)
	for _, f := range z.File {
		if !validName(f.Name) {
			return nil, fault(ErrFormat, f.Name, "want a plain file name")
		}
		if a.members[f.Name] != nil {
			return nil, fault(ErrFormat, f.Name, "the member stands twice in the archive")
		}
		if err := checkSize(f, size); err != nil {
			return nil, err
		}
		// Members that overlap could make a small archive claim any size.
		if f.CompressedSize64 > left {
			return nil, fault(ErrFormat, f.Name, "the archive of %d bytes is too small for all of its members: they overlap", size)
		}
		left -= f.CompressedSize64
		a.members[f.Name] = f
		a.names = append(a.names, f.Name)
	}
	return a, nil
}

// checkSize refuses sizes that the file cannot have, so that memory is in proportion to the
// file.
func checkSize(f *zip.File, archive int64) error {
	packed, full := f.CompressedSize64, f.UncompressedSize64
	switch {
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fault(ErrUnsupported, f.Name, "want a stored or deflated member, got zip method %d", f.Method)
	case packed > uint64(archive), f.Method == zip.Store && full != packed, full/maxRatio > packed:
		return fault(ErrFormat, f.Name, "the archive of %d bytes cannot hold %d bytes packed to %d", archive, full, packed)
	case full > MaxMember:
		return fault(ErrTooLarge, f.Name, "want at most %d bytes, got %d", int64(MaxMember), full)
	}
	return nil
}

// Names returns the names of all members in the order of the file, arrays with their ending
// .npy.
func (a *Archive) Names() []string { return append([]string(nil), a.names...) }

func (a *Archive) member(name string) (*zip.File, error) {
	f, ok := a.members[name]
	if !ok {
		return nil, fault(ErrMissing, name, "there is no such member, there are %s", strings.Join(a.names, ", "))
	}
	return f, nil
}

// File returns the content of a plain file.
func (a *Archive) File(name string) ([]byte, error) {
	f, err := a.member(name)
	if err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault(ErrFormat, name, "cannot be opened: %v", err)
	}
	defer r.Close()
	content := make([]byte, f.UncompressedSize64)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, fault(ErrFormat, name, "cannot be read: %v", err)
	}
	// The zip reader compares the checksum at the end.
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, fault(ErrFormat, name, "is damaged: %v", err)
	}
	return content, nil
}

// Get returns the array that [Put] wrote under the name. Another element type is an error.
func Get[T Number](a *Archive, name string) (Array[T], error) {
	content, err := a.File(name + ".npy")
	if err != nil {
		return Array[T]{}, err
	}
	d, data, err := parseHeader(name, content)
	if err != nil {
		return Array[T]{}, err
	}
	kind, size := descr[T]()
	if d.kind != kind {
		return Array[T]{}, fault(ErrUnsupported, name, "want elements %s, got %s", kind, d.kind)
	}
	if d.fortran && len(d.shape) > 1 {
		return Array[T]{}, fault(ErrUnsupported, name, "want C order, got Fortran order; save numpy.ascontiguousarray of it")
	}
	n, ok := elements(d.shape, int64(len(data)))
	if !ok || n*size != int64(len(data)) {
		return Array[T]{}, fault(ErrFormat, name, "shape %v of %s does not match the %d bytes of data", d.shape, d.kind, len(data))
	}
	out := Array[T]{Shape: d.shape, Data: make([]T, n)}
	parseData(out.Data, data)
	return out, nil
}

// validName refuses paths, so that unpacking an archive cannot write outside a folder.
func validName(name string) bool {
	return name != "" && len(name) < 256 && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}
