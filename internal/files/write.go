package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file through a temporary one in the same folder. At the end the temporary file
// is synced and renamed over the old one. After an error, or a crash at any moment, the old
// file is unchanged. Missing folders are created, for their owner alone if the file is private.
// A symbolic link is followed; a device, a pipe or another file that is not regular is written
// to directly.
func Write(path string, mode os.FileMode, content func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, content)
	}
	dir := filepath.Dir(path)
	if err := makeFolder(dir, mode); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		fault.Path = path // nobody knows the name of the temporary file
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if private(mode) {
		if err = Restrict(f.Name()); err != nil {
			return err
		}
	}
	if err = content(f); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// private reports whether only the owner has access to a file with the given mode.
func private(mode os.FileMode) bool { return mode&0o077 == 0 }

// makeFolder creates a missing folder for files of a mode.
func makeFolder(dir string, mode os.FileMode) error {
	if private(mode) {
		return MkdirPrivate(dir)
	}
	return os.MkdirAll(dir, 0o755)
}

// MkdirPrivate creates a folder, and missing folders above it, for its owner alone. An existing
// folder is not changed.
func MkdirPrivate(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700) // returns an error that names the fault
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return Restrict(dir)
}

func writeThrough(path string, content func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// CheckDir creates the folder, for its owner alone, if it is missing. It returns an error if
// files cannot be written there.
func CheckDir(dir string) error {
	if err := MkdirPrivate(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable.*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// WriteBytes writes a file of the given content, like [Write].
func WriteBytes(path string, mode os.FileMode, content []byte) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Copy makes a private copy: only its owner can read it.
func Copy(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return Write(to, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
