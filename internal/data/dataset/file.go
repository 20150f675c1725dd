package dataset

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// bufferSize is the number of bytes read from a file at a time.
const bufferSize = 1 << 16

// A file is an open data file, and the part of a table that all formats have in common. Reads fail
// once the file has changed, so that rows of two versions are never mixed.
type file struct {
	path string
	disk interface {
		io.ReaderAt
		io.Closer
		Stat() (fs.FileInfo, error)
	}
	opened fs.FileInfo // when it was opened
	// zipped reports whether the file is compressed, so that reads must start at the beginning.
	zipped bool
	// encoding is that of text that is not in UTF-8, so that reads must start at the beginning.
	encoding string
	// changed reports whether a read has failed for that reason, whatever error a library
	// returned.
	changed bool
}

// openFile opens a file that must be unchanged since before, or for the first time if before is
// nil. A source that can be read only once is opened whatever the file system holds.
func openFile(path string, before fs.FileInfo) (*file, error) {
	if from, ok := before.(*once); ok {
		return &file{path: path, disk: from, opened: from}, nil
	}
	// Opening a pipe would block until it has a writer.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &Error{File: path, Msg: "want a file, got a folder, a pipe or a device", Hint: "save the rows in a file"}
	}
	disk, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err := disk.Stat()
	if err != nil {
		disk.Close()
		return nil, fileError(path, err)
	}
	if before != nil && !(os.SameFile(info, before) && unchanged(info, before)) {
		disk.Close()
		return nil, changedError(path)
	}
	return &file{path: path, disk: disk, opened: info}, nil
}

func unchanged(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.disk.ReadAt(p, offset)
	now, failed := f.disk.Stat()
	if failed == nil && !unchanged(f.opened, now) {
		f.changed = true
		return 0, changedError(f.path)
	}
	return n, err
}

// from returns the bytes from an offset on.
func (f *file) from(offset int64) io.Reader {
	return io.NewSectionReader(f, offset, math.MaxInt64-offset)
}

// content returns the bytes of the file, decompressed if need be.
func (f *file) content() (r *bufio.Reader, err error) {
	r, f.zipped, err = decompressed(f.path, f.from(0))
	return r, err
}

// decompressed returns the bytes of a source. Those of gzip are recognised by the first two.
func decompressed(path string, from io.Reader) (r *bufio.Reader, zipped bool, err error) {
	r = bufio.NewReaderSize(from, bufferSize)
	if magic, _ := r.Peek(2); string(magic) != "\x1f\x8b" {
		return r, false, nil
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, true, readError(path, true, err)
	}
	return bufio.NewReaderSize(z, bufferSize), true, nil
}

func (f *file) size() int64 { return f.opened.Size() }

// These methods implement table for all formats.
func (f *file) info() fs.FileInfo { return f.opened }
func (f *file) seekable() bool    { return !f.zipped && f.encoding == "" }
func (f *file) close()            { _ = f.disk.Close() } // read-only: nothing can be lost

// fault returns the error for a file that changed or cannot be read, nil if its bytes are at fault.
func (f *file) fault(err error) error {
	switch {
	case f.changed:
		return changedError(f.path)
	case errors.As(err, new(*Error)), errors.As(err, new(*fs.PathError)), f.zipped && zipFault(err) != "":
		return readError(f.path, f.zipped, err)
	}
	return nil
}

func changedError(path string) error {
	return &Error{File: path, Msg: "the file changed while it was in use", Hint: "start again, and leave it as it is until the end"}
}

// readError returns the error for a failing disk or damaged compression.
func readError(path string, zipped bool, err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case zipped && zipFault(err) != "":
		return &Error{File: path, Msg: zipFault(err), Hint: "copy it again"}
	}
	return fileError(path, err)
}

// zipFault describes damaged compression, "" for other errors.
func zipFault(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the compressed file ends too early"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, new(flate.CorruptInputError)):
		return "the compressed file is damaged"
	}
	return ""
}

func fileError(path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return &Error{File: path, Msg: fmt.Sprintf("cannot be read: %v", err), cause: err}
}
