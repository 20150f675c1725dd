package units

import (
	"math"
	"strings"
	"testing"
)

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		from, to string
		x, want  float64
	}{
		{"degF", "degC", 212, 100},
		{"degF", "degC", -40, -40},
		{"degC", "degF", 37, 98.6},
		{"degC", "K", -273.15, 0},
		{"K", "degF", 0, -459.67},
		{"psi", "kPa", 14.695948775513450, 101.325},
		{"bar", "kPa", 2.5, 250},
		{"in", "mm", 1, 25.4},
		{"t/h", "kg/s", 3.6, 1},
		{"lb/h", "kg/h", 1, 0.45359237},
		{"m3/h", "L/min", 6, 100},
		{"gpm", "L/min", 1, 3.785411784},
		{"rpm", "Hz", 3000, 50},
		{"kWh", "MJ", 1, 3.6},
		{"percent", "fraction", 12.5, 0.125},
		{"widgets", "widgets", 7, 7},
	} {
		by, err := Convert(c.from, c.to)
		if got := by.Of(c.x); err != nil || math.Abs(got-c.want) > 1e-12*max(1, math.Abs(c.want)) {
			t.Errorf("%v %s: got %v %s, %v, want %v", c.x, c.from, got, c.to, err, c.want)
		}
	}
	for spelt, want := range map[string]string{
		"degC": "degC", "°C": "degC", "[°C]": "degC", "℉": "degF", "m³/h": "m3/h", "(m^3/h)": "m3/h", "%": "percent", "l/min": "L/min", "ml": "mL", " [bar] ": "bar", "[K]": "K",
		"[widgets]": "[widgets]", "C": "C", "": "", "[]": "[]", "/": "/",
	} {
		if got := Named(spelt); got != want {
			t.Errorf("%q: got %q, want %q", spelt, got, want)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"degC", "kPa", "cannot convert degC to kPa: degC is a unit of temperature, kPa of pressure"},
		{"Celsius", "degC", "cannot convert Celsius to degC: Celsius is unknown; known units of temperature are K, degC, degF"},
		{"degC", "C", "cannot convert degC to C: C is unknown; known units of temperature are K, degC, degF"},
		{"a", "b", "cannot convert a to b: neither unit is known; known units are A, Hz, J, "},
	} {
		if _, err := Convert(c.from, c.to); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Every unit belongs to one quantity, and there and back is where one was.
func TestThereAndBack(t *testing.T) {
	seen := map[string]bool{}
	for _, q := range quantities {
		for from := range q.units {
			if seen[from] {
				t.Errorf("%s is of two quantities", from)
			}
			seen[from] = true
			for to := range q.units {
				there, err := Convert(from, to)
				if err != nil {
					t.Fatal(err)
				}
				back, err := Convert(to, from)
				if got := back.Of(there.Of(20)); err != nil || math.Abs(got-20) > 1e-9 {
					t.Errorf("20 %s in %s and back: got %v, %v", from, to, got, err)
				}
			}
		}
	}
}
