package dataset

import (
	"io"
	"io/fs"
	"os"
)

// file is an open data file. A read after the file has changed is an error, so
// that rows of two versions never stand side by side.
type file struct {
	path string
	disk interface {
		io.ReaderAt
		io.Closer
		Stat() (fs.FileInfo, error)
	}
	info fs.FileInfo
	// changed says that a read has failed for that reason, whatever error a
	// library makes of it.
	changed bool
}

// openFile opens a file that is as it was: before is nil if it was not open yet. A spool is
// opened whatever is in the file system.
func openFile(path string, before fs.FileInfo) (*file, error) {
	if kept, ok := before.(*spool); ok {
		return &file{path: path, disk: kept, info: kept}, nil
	}
	// To open a pipe would wait for who writes to it.
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

// ReadAt reads as io.ReaderAt says.
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

func (f *file) close() { _ = f.disk.Close() } // read only: nothing can be lost
