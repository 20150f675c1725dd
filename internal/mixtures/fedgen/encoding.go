package fedgen

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm"
)

// version is the version of the encoding of a contribution. Numbers are big endian:
//
//	version          1 byte
//	form             1 byte: 0 full, 1 diagonal, 2 spherical
//	M, K             4 bytes each
//	rows             8 bytes
//	K weights        8 bytes each, IEEE 754, as all that follow
//	K·M means
//	K covariances    M(M+1)/2 values of the upper triangle by rows, M variances, or one
const (
	version    = 1
	headLength = 18
)

// Encode returns the contribution as bytes, or an error if it is not valid.
func (c Contribution) Encode() ([]byte, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	k, dim := len(c.Weights), c.Dim()
	out := make([]byte, 0, headLength+8*k*(1+dim+coded(c.Form, dim)))
	out = append(out, version, byte(c.Form))
	out = binary.BigEndian.AppendUint32(out, uint32(dim))
	out = binary.BigEndian.AppendUint32(out, uint32(k))
	out = binary.BigEndian.AppendUint64(out, uint64(c.Rows))
	out = appendFloats(out, c.Weights)
	for _, mean := range c.Means {
		out = appendFloats(out, mean)
	}
	for _, cov := range c.Covariances {
		switch c.Form {
		case gmm.Full:
			for i := range dim {
				out = appendFloats(out, cov[i*dim+i:(i+1)*dim])
			}
		case gmm.Spherical:
			out = appendFloats(out, cov[:1])
		default:
			out = appendFloats(out, cov)
		}
	}
	return out, nil
}

// coded returns the number of encoded values of a component's covariance matrix.
func coded(form gmm.Covariance, dim int) int {
	return map[gmm.Covariance]int{gmm.Full: dim * (dim + 1) / 2, gmm.Diag: dim, gmm.Spherical: 1}[form]
}

func appendFloats(to []byte, x []float64) []byte {
	for _, v := range x {
		to = binary.BigEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}

// Decode is the inverse of Encode for rows of dim columns, the given form of covariance
// matrices and at most `most` components. It accepts only what Encode can produce.
func Decode(blob []byte, form gmm.Covariance, dim, most int) (Contribution, error) {
	if len(blob) < headLength || blob[0] != version {
		return Contribution{}, fmt.Errorf("want a mixture in format version %d, got %d bytes in another format: run the same program version on all members", version, len(blob))
	}
	if got := gmm.Covariance(blob[1]); got != form {
		return Contribution{}, fmt.Errorf("want covariance matrices of form %d (%s), as this member has, got form %d", form, form, got)
	}
	if got := binary.BigEndian.Uint32(blob[2:]); got != uint32(dim) {
		return Contribution{}, fmt.Errorf("want %d columns, as this member has, got %d", dim, got)
	}
	k := binary.BigEndian.Uint32(blob[6:])
	if most = min(most, maxComponents); k < 1 || k > uint32(most) {
		return Contribution{}, fmt.Errorf("want 1 to %d components as agreed, got %d", most, k)
	}
	if want := headLength + 8*int(k)*(1+dim+coded(form, dim)); len(blob) != want {
		return Contribution{}, fmt.Errorf("want a mixture of %d bytes, got %d", want, len(blob))
	}
	rows := binary.BigEndian.Uint64(blob[10:])
	if rows > min(maxRows, math.MaxInt) {
		return Contribution{}, fmt.Errorf("rows: want 1 to 2^40, got %d", rows)
	}
	r := reader(blob[headLength:])
	c := Contribution{Rows: int(rows), Moments: Moments{Form: form, Weights: r.floats(int(k))}}
	for range k {
		c.Means = append(c.Means, r.floats(dim))
	}
	for range k {
		c.Covariances = append(c.Covariances, r.covariance(form, dim))
	}
	if err := c.Validate(); err != nil {
		return Contribution{}, err
	}
	return c, nil
}

// reader is the unread part of bytes whose length has been checked.
type reader []byte

func (r *reader) floats(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Float64frombits(binary.BigEndian.Uint64(*r))
		*r = (*r)[8:]
	}
	return x
}

func (r *reader) covariance(form gmm.Covariance, dim int) []float64 {
	switch form {
	case gmm.Spherical:
		x := make([]float64, dim)
		v := r.floats(1)[0]
		for i := range x {
			x[i] = v
		}
		return x
	case gmm.Full:
		x := make([]float64, dim*dim)
		for i := range dim {
			for j, v := range r.floats(dim - i) {
				x[i*dim+i+j], x[(i+j)*dim+i] = v, v
			}
		}
		return x
	}
	return r.floats(dim)
}
