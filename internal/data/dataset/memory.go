package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// DefaultMemory is the default of Spec.Memory, for [ParseMemory]. With it, a node stays below
// 300 MB for any number of rows.
const DefaultMemory = "128MiB"

var sizes = []struct {
	unit  string
	bytes float64
}{
	{"kib", 1 << 10},
	{"mib", 1 << 20},
	{"gib", 1 << 30},
	{"tib", 1 << 40},
	{"kb", 1e3},
	{"mb", 1e6},
	{"gb", 1e9},
	{"tb", 1e12},
	{"b", 1},
	{"", 1},
}

// ParseMemory reads a size of at least one byte for Spec.Memory, such as 512MiB, 2GB or 4096,
// or "all", which is 0. "" is DefaultMemory.
func ParseMemory(s string) (int64, error) {
	if s == "" {
		s = DefaultMemory
	}
	text := strings.ToLower(strings.TrimSpace(s))
	if text == "all" {
		return 0, nil
	}
	for _, u := range sizes {
		number, ok := strings.CutSuffix(text, u.unit)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if v *= u.bytes; err == nil && v >= 1 && v < math.MaxInt64 {
			return int64(v), nil
		}
		break
	}
	return 0, &Error{Msg: fmt.Sprintf("want a size of memory as 512MiB, 2GB or all, got %q", s)}
}
