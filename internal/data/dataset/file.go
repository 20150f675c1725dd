package dataset

import (
	"io"
	"io/fs"
	"os"
)

// A file is an open data file. Reads fail once the file has changed, so that rows of two
// versions are never mixed.
type file struct {
	path string
	disk interface {
		io.ReaderAt
		io.Closer
		Stat() (fs.FileInfo, error)
	}
	info fs.FileInfo
	// changed reports whether a read has failed for that reason, whatever error a library
	// returned.
	changed bool
}

// openFile opens a file that must be unchanged since before, or for the first time if before is
// nil. A source that can be read only once is opened whatever the file system holds.
func openFile(path string, before fs.FileInfo) (*file, error) {
	if from, ok := before.(*once); ok {
		return &file{path: path, disk: from, info: from}, nil
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
	f := &file{path: path, disk: disk, info: info}
	if before != nil && !(os.SameFile(info, before) && unchanged(info, before)) {
		disk.Close()
		return nil, changedError(path)
	}
	return f, nil
}

func unchanged(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.disk.ReadAt(p, at)
	now, failed := f.disk.Stat()
	if failed == nil && !unchanged(f.info, now) {
		f.changed = true
		return 0, changedError(f.path)
	}
	return n, err
}

func (f *file) size() int64 { return f.info.Size() }

func changedError(path string) error {
	return &Error{File: path, Msg: "the file changed while it was in use", Hint: "start again, and leave it as it is until the end"}
}

func (f *file) close() { _ = f.disk.Close() } // read-only: nothing can be lost
