// Package idx reads IDX files, the format of the MNIST images and labels. A file has a magic
// number with the type of the values and the number of dimensions, then the dimensions, then
// the values, all big endian. The last dimension varies fastest.
//
// Files are not trusted. Whatever its bytes are, reading a file returns an error or its array,
// never panics, and uses memory in proportion to the file's length.
package idx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Array is a tensor of bytes.
type Array struct {
	Shape []int
	Data  []byte // the last dimension varies fastest
}

const (
	unsignedBytes = 0x08
	// mostDimensions and mostValues are far above those of any set of images.
	mostDimensions = 4
	mostValues     = 1 << 32
)

// HeaderSize returns the number of bytes before the values of an array.
func HeaderSize(shape []int) int { return 4 + 4*len(shape) }

// ReadShape reads the shape of an array of unsigned bytes, the type of all files of images and
// labels. It leaves r at the first value.
func ReadShape(r io.Reader) ([]int, error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return nil, short(err, "the magic number")
	}
	switch {
	case magic[0] != 0 || magic[1] != 0:
		return nil, fmt.Errorf("want an IDX file, which begins with two zero bytes, got %#x", magic[:2])
	case magic[2] != unsignedBytes:
		return nil, fmt.Errorf("want values of type 0x08 (unsigned bytes), got %#02x", magic[2])
	case magic[3] == 0 || magic[3] > mostDimensions:
		return nil, fmt.Errorf("want 1 to %d dimensions, got %d", mostDimensions, magic[3])
	}
	shape, size := []int{}, uint64(1)
	for i := range int(magic[3]) {
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, short(err, "the dimensions")
		}
		n := binary.BigEndian.Uint32(b[:])
		if n == 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("want a dimension of 1 to %d, got %d as number %d", math.MaxInt32, n, i+1)
		}
		if size *= uint64(n); size > mostValues {
			return nil, fmt.Errorf("want at most %d values, got more", uint64(mostValues))
		}
		shape = append(shape, int(n))
	}
	return shape, nil
}

// Read reads an array. Data after the array is an error, too.
func Read(r io.Reader) (*Array, error) {
	shape, err := ReadShape(r)
	if err != nil {
		return nil, err
	}
	a, size := &Array{Shape: shape}, uint64(1)
	for _, n := range shape {
		size *= uint64(n)
	}
	// Read no more than the data that exists, whatever size the header claims.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err != nil {
		return nil, err
	}
	if uint64(len(data)) < size {
		return nil, fmt.Errorf("want %d values, got %d: the file ends too early", size, len(data))
	}
	if uint64(len(data)) > size {
		return nil, fmt.Errorf("want %d values, got more", size)
	}
	a.Data = data
	return a, nil
}

func short(err error, what string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends in %s", what)
	}
	return err
}
