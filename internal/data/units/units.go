// Package units converts values between units of measurement.
//
// Start reading at [Convert].
package units

import (
	"fmt"
	"slices"
	"strings"
)

// A Conversion maps a value x to Factor x + Offset.
type Conversion struct{ Factor, Offset float64 }

// Of converts a value. The result has the same bits on every machine.
func (c Conversion) Of(x float64) float64 { return float64(c.Factor*x) + c.Offset }

// A quantity has units, each with the conversion to its base unit.
type quantity struct {
	name  string
	units map[string]Conversion
}

func factors(f map[string]float64) map[string]Conversion {
	units := make(map[string]Conversion, len(f))
	for name, factor := range f {
		units[name] = Conversion{Factor: factor}
	}
	return units
}

const (
	minute  = 60
	hour    = 60 * minute
	pound   = 0.45359237
	inch    = 0.0254
	gallon  = 3.785411784e-3 // US
	rankine = 5. / 9
)

// quantities holds exact factors, by definition of the units.
var quantities = []quantity{
	{"temperature", map[string]Conversion{"K": {1, 0}, "degC": {1, 273.15}, "degF": {rankine, 459.67 * rankine}}},
	{"pressure", factors(map[string]float64{"Pa": 1, "hPa": 100, "kPa": 1e3, "MPa": 1e6, "mbar": 100, "bar": 1e5, "atm": 101325, "psi": 6894.757293168361})},
	{"length", factors(map[string]float64{"m": 1, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": inch, "ft": 12 * inch})},
	{"mass", factors(map[string]float64{"kg": 1, "g": 1e-3, "t": 1e3, "lb": pound})},
	{"volume", factors(map[string]float64{"m3": 1, "L": 1e-3, "mL": 1e-6, "gal": gallon})},
	{"mass flow", factors(map[string]float64{"kg/s": 1, "kg/min": 1. / minute, "kg/h": 1. / hour, "t/h": 1e3 / hour, "lb/h": pound / hour})},
	{"volume flow", factors(map[string]float64{"m3/s": 1, "m3/h": 1. / hour, "L/s": 1e-3, "L/min": 1e-3 / minute, "L/h": 1e-3 / hour, "gpm": gallon / minute})},
	{"speed", factors(map[string]float64{"m/s": 1, "mm/s": 1e-3, "km/h": 1e3 / hour, "in/s": inch})},
	{"rotational speed", factors(map[string]float64{"Hz": 1, "rpm": 1. / minute})},
	{"energy", factors(map[string]float64{"J": 1, "kJ": 1e3, "MJ": 1e6, "Wh": hour, "kWh": 1e3 * hour, "MWh": 1e6 * hour})},
	{"power", factors(map[string]float64{"W": 1, "kW": 1e3, "MW": 1e6})},
	{"time", factors(map[string]float64{"s": 1, "ms": 1e-3, "min": minute, "h": hour})},
	{"voltage", factors(map[string]float64{"V": 1, "mV": 1e-3, "kV": 1e3})},
	{"current", factors(map[string]float64{"A": 1, "mA": 1e-3})},
	{"ratio", factors(map[string]float64{"fraction": 1, "percent": 1e-2, "ppm": 1e-6})},
}

// Convert returns the conversion between two units. An unknown unit converts only to itself.
func Convert(from, to string) (Conversion, error) {
	if from == to {
		return Conversion{1, 0}, nil
	}
	f, t := find(from), find(to)
	cannot := fmt.Sprintf("cannot convert %s to %s: ", from, to)
	switch {
	case f == nil && t == nil:
		return Conversion{}, fmt.Errorf("%sneither unit is known; known units are %s", cannot, names(quantities))
	case f == nil:
		return Conversion{}, fmt.Errorf("%s%s is unknown; known units of %s are %s", cannot, from, t.name, names([]quantity{*t}))
	case t == nil:
		return Conversion{}, fmt.Errorf("%s%s is unknown; known units of %s are %s", cannot, to, f.name, names([]quantity{*f}))
	case f != t:
		return Conversion{}, fmt.Errorf("%s%s is a unit of %s, %s of %s", cannot, from, f.name, to, t.name)
	}
	a, b := f.units[from], f.units[to]
	return Conversion{a.Factor / b.Factor, (a.Offset - b.Offset) / b.Factor}, nil
}

// spelling replaces spellings found in files by those of this package.
var spelling = strings.NewReplacer("°", "deg", "℃", "degC", "℉", "degF", "³", "3", "^", "", "%", "percent", " ", "")

// Named returns this package's name for a unit as spelt in files: degC for °C, m3/h for [m³/h].
// It returns other names unchanged.
func Named(spelt string) string {
	bare := strings.Trim(strings.TrimSpace(spelt), "[]()")
	of := strings.Split(spelling.Replace(bare), "/")
	for i, u := range of {
		if u == "l" || u == "ml" {
			of[i] = strings.ReplaceAll(u, "l", "L")
		}
	}
	if name := strings.Join(of, "/"); Known(name) {
		return name
	}
	return spelt
}

// Known reports whether a unit can be converted to others.
func Known(unit string) bool { return find(unit) != nil }

func find(unit string) *quantity {
	for i := range quantities {
		if _, ok := quantities[i].units[unit]; ok {
			return &quantities[i]
		}
	}
	return nil
}

// names lists units in alphabetical order.
func names(of []quantity) string {
	var list []string
	for _, q := range of {
		for name := range q.units {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
