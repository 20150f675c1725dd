package fedgem

import (
	"encoding/binary"
	"fmt"
	"math"
)

const (
	version = 1
	// maxRegions is the maximum number of components of one participant.
	maxRegions = 4096
	headLen    = 8 // version, form, settled, 0, and K and M as two bytes each
	// largest bounds published values, so that their squares cannot overflow.
	largest = 1e100
)

// encode returns a member's message, big endian. The header comes first, then for each region
// its rows, radius, spread and centre, and for ellipsoids the upper triangle of the shape. The
// flag settled reports that no centre of the member moved by more than the tolerance in the
// round before.
func encode(regions []region, settled bool) []byte {
	dim := len(regions[0].centre)
	head := []byte{version, 0, 0, 0}
	if regions[0].shape != nil {
		head[1] = 1
	}
	if settled {
		head[2] = 1
	}
	out := binary.BigEndian.AppendUint16(head, uint16(len(regions)))
	out = binary.BigEndian.AppendUint16(out, uint16(dim))
	put := func(values ...float64) {
		for _, v := range values {
			out = binary.BigEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	for _, r := range regions {
		put(r.rows, r.radius, r.spread)
		put(r.centre...)
		for i := 0; i < dim && r.shape != nil; i++ {
			put(r.shape[i*dim+i : (i+1)*dim]...)
		}
	}
	return out
}

// decode is the inverse of encode for rows of dim columns. If full is set, regions have shapes.
func decode(blob []byte, dim int, full bool) (regions []region, settled bool, err error) {
	if len(blob) < headLen || blob[0] != version {
		return nil, false, fmt.Errorf("want clusters in format version %d, got %d bytes in another format: run the same program version on all members", version, len(blob))
	}
	if blob[1] > 1 || blob[2] > 1 || blob[3] != 0 || (blob[1] == 1) != full {
		return nil, false, fmt.Errorf("full covariances: want %t, as at this member, got a header %x: use the same settings on all members", full, blob[:4])
	}
	k, m := int(binary.BigEndian.Uint16(blob[4:])), int(binary.BigEndian.Uint16(blob[6:]))
	if m != dim {
		return nil, false, fmt.Errorf("want %d columns, as this member has, got %d", dim, m)
	}
	each := 3 + dim
	if full {
		each += dim * (dim + 1) / 2
	}
	if k < 1 || k > maxRegions || len(blob) != headLen+8*k*each {
		return nil, false, fmt.Errorf("want 1 to %d clusters of %d values each, got %d clusters in %d bytes", maxRegions, each, k, len(blob))
	}
	values := make([]float64, k*each)
	for i := range values {
		v := math.Float64frombits(binary.BigEndian.Uint64(blob[headLen+8*i:]))
		if !(math.Abs(v) <= largest) {
			return nil, false, fmt.Errorf("cluster %d of %d: want values of at most %g, got %g", i/each+1, k, float64(largest), v)
		}
		values[i] = v
	}
	for i := range k {
		r, err := regionOf(values[i*each:(i+1)*each], dim)
		if err != nil {
			return nil, false, fmt.Errorf("cluster %d of %d: %w", i+1, k, err)
		}
		regions = append(regions, r)
	}
	return regions, blob[2] == 1, nil
}

func regionOf(v []float64, dim int) (region, error) {
	r := region{rows: v[0], radius: v[1], spread: v[2], centre: v[3 : 3+dim]}
	for i, name := range []string{"rows", "radius", "spread"} {
		if v[i] < 0 {
			return region{}, fmt.Errorf("%s: want at least 0, got %g", name, v[i])
		}
	}
	upper := v[3+dim:]
	if len(upper) == 0 {
		return r, nil
	}
	r.shape = make([]float64, dim*dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			r.shape[i*dim+j], r.shape[j*dim+i] = upper[0], upper[0]
			upper = upper[1:]
		}
	}
	if math.IsInf(inverseForm(append([]float64(nil), r.shape...), make([]float64, dim)), 1) {
		return region{}, fmt.Errorf("covariance: want a positive definite matrix, got another one")
	}
	return r, nil
}
