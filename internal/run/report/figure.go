package report

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Figure is a number that may not apply (the zero Figure, absent in JSON) or may
// be undefined (null in JSON).
type Figure struct {
	Value   float64
	Applies bool
	Defined bool
}

// Of returns the figure of a value; a value that is not finite is undefined.
func Of(v float64) Figure {
	return OfOK(v, !math.IsNaN(v) && !math.IsInf(v, 0))
}

// OfOK returns the figure of a value that is defined only if ok.
func OfOK(v float64, ok bool) Figure {
	if !ok {
		v = 0
	}
	return Figure{Value: v, Applies: true, Defined: ok}
}

// Mean returns the mean of the defined figures: the zero Figure if none applies,
// undefined if none is defined.
func Mean(figures []Figure) Figure {
	var sum float64
	n, applies := 0, false
	for _, f := range figures {
		applies = applies || f.Applies
		if f.Defined {
			sum += f.Value
			n++
		}
	}
	if !applies {
		return Figure{}
	}
	return OfOK(sum/float64(n), n > 0)
}

// String returns the figure with four decimals, "-" if it has no value.
func (f Figure) String() string {
	if !f.Defined {
		return "-"
	}
	return Fixed(f.Value, 4)
}

// Fixed formats a number with the given decimals. A value that rounds to 0 has no sign.
func Fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if unsigned := strings.TrimPrefix(s, "-"); strings.Trim(unsigned, "0.") == "" {
		return unsigned
	}
	return s
}

// MarshalJSON writes the number or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Defined {
		return []byte("null"), nil
	}
	return json.Marshal(f.Value)
}

// UnmarshalJSON reads a number or null.
func (f *Figure) UnmarshalJSON(b []byte) error {
	*f = Figure{Applies: true}
	if string(b) == "null" {
		return nil
	}
	f.Defined = true
	return json.Unmarshal(b, &f.Value)
}
