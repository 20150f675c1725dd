package dataset

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/collabdict/collabdict/internal/data/idx"
)

func (t *idxFile) read(features, others []int) (rowReader, error) {
	r := &idxReader{file: t, features: features}
	if slices.Contains(features, t.width) || slices.Contains(others, t.width) {
		var err error
		if r.labels, err = readLabels(t.labels, t.path, t.shape[0]); err != nil {
			return nil, err
		}
	}
	if t.zipped {
		stream, err := t.content()
		if err == nil {
			_, err = stream.Discard(idx.HeaderSize(t.shape))
		}
		if err != nil {
			return nil, t.fault(err)
		}
		r.stream = stream
	}
	return newNumberedRows(r, features, others, t.shape[0]), nil
}

// idxReader reads images in blocks.
type idxReader struct {
	file     *idxFile
	features []int
	labels   []byte // labels of all images, if needed
	stream   io.Reader
	// first and end delimit the images in bytes. A stream has been read up to end.
	first, end int
	bytes      []byte
}

// load returns n images, beginning at image from, which only grows in a compressed file.
func (r *idxReader) load(from, n int) ([]byte, error) {
	t := r.file
	if from >= r.first && from+n <= r.end {
		return r.bytes[(from-r.first)*t.width:][:n*t.width], nil
	}
	r.bytes = slices.Grow(r.bytes[:0], n*t.width)[:n*t.width]
	if r.stream == nil {
		offset := int64(idx.HeaderSize(t.shape)) + int64(from)*int64(t.width)
		r.first, r.end = 0, 0
		if got, err := t.file.ReadAt(r.bytes, offset); got < len(r.bytes) {
			return nil, t.fault(err)
		}
		r.first, r.end = from, from+n
		return r.bytes, nil
	}
	if from < r.end {
		panic("dataset: want images of a compressed file in order")
	}
	_, err := io.CopyN(io.Discard, r.stream, int64(from-r.end)*int64(t.width))
	if err == nil {
		_, err = io.ReadFull(r.stream, r.bytes)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if r.first, r.end = from, from+n; err == nil && r.end == t.shape[0] {
		err = r.atEnd()
	}
	if err != nil {
		return nil, t.fault(err)
	}
	return r.bytes, nil
}

// atEnd checks that the compressed file is intact and ends after the images.
func (r *idxReader) atEnd() error {
	switch n, err := io.CopyN(io.Discard, r.stream, 1); {
	case n > 0:
		return &Error{File: r.file.path, Msg: "there are more bytes than the images take", Hint: "copy it again"}
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// numbers and texts implement columnReader.
func (r *idxReader) numbers(x []float64, from int) error {
	m := len(r.features)
	n := len(x) / m
	b, err := r.load(from, n)
	if err != nil {
		return err
	}
	for i := range n {
		image, row := b[i*r.file.width:], x[i*m:(i+1)*m]
		for j, column := range r.features {
			if column == r.file.width {
				row[j] = float64(r.labels[from+i])
			} else {
				row[j] = float64(image[column])
			}
		}
	}
	return nil
}

func (r *idxReader) texts(dst []string, column, from int) error {
	if column == r.file.width {
		for i := range dst {
			dst[i] = strconv.Itoa(int(r.labels[from+i]))
		}
		return nil
	}
	b, err := r.load(from, len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = strconv.Itoa(int(b[i*r.file.width+column]))
	}
	return nil
}
