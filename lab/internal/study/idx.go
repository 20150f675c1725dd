package study

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/collabdict/collabdict/internal/data/idx"
)

// ReadIDX reads an array from a file in the data folder; name has slashes, and ends in .gz if the
// file is compressed. Errors name the file.
func (l *Lab) ReadIDX(name string) (*idx.Array, error) {
	path := l.Path(name)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	a, err := idx.Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}
