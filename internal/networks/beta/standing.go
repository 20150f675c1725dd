package beta

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The encoding of what a member publishes: a version byte, its discrepancy and its weight, big
// endian.
const (
	standingVersion = 1
	standingBytes   = 17
)

func encode(s Standing) []byte {
	b := binary.BigEndian.AppendUint64([]byte{standingVersion}, math.Float64bits(s.Discrepancy))
	return binary.BigEndian.AppendUint64(b, math.Float64bits(s.Weight.P))
}

func decode(b []byte) (*Standing, error) {
	if len(b) != standingBytes || b[0] != standingVersion {
		return nil, fmt.Errorf("want %d bytes in format version %d, got %d bytes in another format: run the same program version on all members", standingBytes, standingVersion, len(b))
	}
	var s Standing
	s.Discrepancy = math.Float64frombits(binary.BigEndian.Uint64(b[1:]))
	s.Weight.P = math.Float64frombits(binary.BigEndian.Uint64(b[9:]))
	if math.IsNaN(s.Discrepancy) || math.IsInf(s.Discrepancy, 0) {
		return nil, fmt.Errorf("want a finite discrepancy, got %g", s.Discrepancy)
	}
	if !(s.Weight.P >= 0 && s.Weight.P <= 1) {
		return nil, fmt.Errorf("want a weight from 0 to 1, got %g", s.Weight.P)
	}
	return &s, nil
}

// decodeAll returns what members have published, by rank; nil for a member not in the view.
func decodeAll(blobs [][]byte) ([]*Standing, error) {
	all := make([]*Standing, len(blobs))
	for rank, b := range blobs {
		if b == nil {
			continue
		}
		var err error
		if all[rank], err = decode(b); err != nil {
			return nil, fmt.Errorf("standing of member %d of %d: %w", rank+1, len(blobs), err)
		}
	}
	return all, nil
}
