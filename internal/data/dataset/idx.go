package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/collabdict/collabdict/internal/data/idx"
)

// idxFile is a table of images. Each image is a row, and its pixels are the columns r1c1, r1c2
// and so on, by row and column; or it is a table of rows of bytes. Labels in a file beside it
// are one more column.
type idxFile struct {
	*file
	shape  []int
	width  int // pixels per image
	names  []string
	labels string // path of the label file; "" if there is none
}

// mostPixels bounds the pixels per image that a small file can claim.
const mostPixels = 1 << 14

var idxFormat = &fileFormat{
	endings: []string{
		"-idx3-ubyte", "-idx3-ubyte.gz", ".idx3-ubyte", ".idx3-ubyte.gz",
		"-idx2-ubyte", "-idx2-ubyte.gz", ".idx2-ubyte", ".idx2-ubyte.gz",
	},
	open: openIDX,
}

func openIDX(path string, before fs.FileInfo, _ CSV) (table, error) {
	f, err := openFile(path, before)
	if err != nil {
		return nil, err
	}
	t := &idxFile{file: f}
	if err := t.begin(); err != nil {
		f.close()
		return nil, err
	}
	if t.labels = labelsBeside(path); t.labels != "" {
		t.names = append(t.names, labelColumn)
	}
	return t, nil
}

// begin reads the shape and names the pixels.
func (t *idxFile) begin() error {
	r, err := t.content()
	if err != nil {
		return err
	}
	if t.shape, err = idx.ReadShape(r); err != nil {
		return t.fault(err)
	}
	if len(t.shape) != 2 && len(t.shape) != 3 {
		return &Error{File: t.path, Msg: fmt.Sprintf("want images, an array of 3 dimensions, or rows, one of 2, got %d", len(t.shape))}
	}
	t.width = 1
	for _, n := range t.shape[1:] {
		if t.width *= n; t.width > mostPixels {
			return &Error{File: t.path, Msg: fmt.Sprintf("want at most %d pixels an image, got %v", mostPixels, t.shape[1:])}
		}
	}
	if want := int64(idx.HeaderSize(t.shape)) + int64(t.shape[0])*int64(t.width); !t.zipped && t.file.size() != want {
		return &Error{File: t.path, Msg: fmt.Sprintf("want %d bytes for an array of shape %v, got %d", want, t.shape, t.file.size()), Hint: "copy it again"}
	}
	for i := range t.width {
		if len(t.shape) == 2 {
			t.names = append(t.names, fmt.Sprintf("c%d", i+1))
		} else {
			t.names = append(t.names, pixelName(i, t.shape[2]))
		}
	}
	return nil
}

// pixelName returns the name of pixel i in an image of the given width.
func pixelName(i, width int) string { return fmt.Sprintf("r%dc%d", i/width+1, i%width+1) }

// ImageShape returns the shape of the images whose pixels, row by row, are the given columns.
func ImageShape(columns []string) (height, width int, ok bool) {
	n := len(columns)
	if n == 0 {
		return 0, 0, false
	}
	if _, err := fmt.Sscanf(columns[n-1], "r%dc%d", &height, &width); err != nil || width < 1 || n%width != 0 {
		return 0, 0, false
	}
	for i, name := range columns {
		if name != pixelName(i, width) {
			return 0, 0, false
		}
	}
	return height, width, true
}

// fault wraps an error as an [*Error].
func (t *idxFile) fault(err error) error {
	switch known := t.file.fault(err); {
	case known != nil:
		return known
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // the size was right before
		return changedError(t.path)
	}
	return &Error{File: t.path, Msg: err.Error()}
}

// These methods implement table.
func (t *idxFile) header() []string { return t.names }
func (t *idxFile) format() string   { return "IDX" }
func (t *idxFile) total() int       { return t.shape[0] }

func (t *idxFile) kinds(int) ([]kind, place, error) {
	kinds := make([]kind, len(t.names))
	for i := range kinds {
		kinds[i] = kindNumber
		if i == t.width {
			kinds[i] = kindClass
		}
	}
	return kinds, place{row: 1}, nil
}
