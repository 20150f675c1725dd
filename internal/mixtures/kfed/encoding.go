package kfed

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// version is the version of the encoding of centres: a byte with the version, M and K in 4
// bytes each, and K·M values row by row in IEEE 754, all big endian.
const (
	version    = 1
	headLength = 9
	maxCentres = 1 << 12
	maxDim     = 1 << 14
	largest    = 0x1p200 // sums of squares cannot overflow
)

func encode(centres *mat.Dense) ([]byte, error) {
	k, dim := centres.Dims()
	out := binary.BigEndian.AppendUint32([]byte{version}, uint32(dim))
	out = binary.BigEndian.AppendUint32(out, uint32(k))
	for i := range k {
		for j, v := range centres.RawRowView(i) {
			if err := check(i, j, v); err != nil {
				return nil, err
			}
			out = binary.BigEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out, nil
}

// decode is the inverse of encode, for at most `most` centres of dim columns.
func decode(blob []byte, dim, most int) (*mat.Dense, error) {
	if len(blob) < headLength || blob[0] != version {
		return nil, fmt.Errorf("want centres in format version %d, got %d bytes in another format: run the same program version on all members", version, len(blob))
	}
	if got := binary.BigEndian.Uint32(blob[1:]); got != uint32(dim) {
		return nil, fmt.Errorf("want %d columns, as this member has, got %d", dim, got)
	}
	k := binary.BigEndian.Uint32(blob[5:])
	if k < 1 || k > uint32(most) {
		return nil, fmt.Errorf("want 1 to %d centres as agreed, got %d", most, k)
	}
	if want := headLength + 8*int(k)*dim; len(blob) != want {
		return nil, fmt.Errorf("want centres of %d bytes, got %d", want, len(blob))
	}
	out := mat.NewDense(int(k), dim, nil)
	blob = blob[headLength:]
	for i := range int(k) {
		for j := range dim {
			v := math.Float64frombits(binary.BigEndian.Uint64(blob))
			if err := check(i, j, v); err != nil {
				return nil, err
			}
			out.Set(i, j, v)
			blob = blob[8:]
		}
	}
	return out, nil
}

func check(i, j int, v float64) error {
	if !(math.Abs(v) <= largest) {
		return fmt.Errorf("centre %d, column %d: want a value of at most 2^200 in size, got %g", i+1, j+1, v)
	}
	return nil
}
