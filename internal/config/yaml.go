package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"go.yaml.in/yaml/v4"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/files/strict"
)

// Version is the only version of the files that this package writes and reads.
const Version = 3

// Error reports an unusable file.
type Error struct {
	File string
	Err  error  // what is wrong
	Hint string // what to do
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	s := e.File + ": " + e.Err.Error()
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// read decodes a file strictly. hint says where such a file comes from.
func read(path string, into any, hint string) error {
	b, err := content(path, hint)
	if err != nil {
		return err
	}
	return decode(path, b, into)
}

func content(path, hint string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{path, errors.New("no such file"), hint}
	}
	if err != nil {
		return nil, &Error{path, err, ""}
	}
	return b, nil
}

func decode(path string, b []byte, into any) error {
	err := strict.YAML(bytes.NewReader(b), into)
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return &Error{path, err, "correct the file"}
	}
	return nil
}

func checkVersion(path string, got int) error {
	if got == 0 {
		return &Error{path, fmt.Errorf("version: want %d, got none", Version), "add it"}
	}
	if got != Version {
		return &Error{path, fmt.Errorf("want version %d, got %d", Version, got), "use the collabdict that wrote it"}
	}
	return nil
}

func write(path string, v any) error {
	return files.Write(path, 0o600, func(w io.Writer) error { return dump(w, v) })
}

func dump(w io.Writer, v any) error {
	d, err := yaml.NewDumper(w, yaml.WithV3Defaults(), yaml.WithIndent(2), yaml.WithLineWidth(-1))
	if err != nil {
		return err
	}
	if err := d.Dump(v); err != nil {
		return err
	}
	return d.Close()
}
