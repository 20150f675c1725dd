package dataset

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/units"
)

// FuzzDialect checks that any bytes are recognised in the same way twice, and that each row is
// found again at its place.
func FuzzDialect(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "awkward", "*.csv"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	path := filepath.Join(f.TempDir(), "f.csv")
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, whole := range []bool{true, false} {
			before := slices.Clone(content)
			d, err := recognise(content, whole, CSV{})
			again, other := recognise(content, whole, CSV{})
			if !reflect.DeepEqual(d, again) || (err == nil) != (other == nil) || err != nil && *err != *other {
				t.Fatalf("got %+v, %v, and then %+v, %v", d, err, again, other)
			}
			if !slices.Equal(content, before) {
				t.Fatal("the bytes were changed")
			}
			if err == nil && (d.start < 0 || d.start > len(content) || d.lines < 0 || d.delimiter == d.comment) {
				t.Fatalf("got %+v for %d bytes", d, len(content))
			}
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := openCSV(path, nil, &CSV{})
		if err != nil {
			return
		}
		defer file.close()
		if file.units != nil && len(file.units) != len(file.names) {
			t.Fatalf("%d units for %d columns", len(file.units), len(file.names))
		}
		for _, u := range file.units {
			if name := units.Named(u); name != u && !units.Known(name) {
				t.Fatalf("%q is named %q, which is unknown", u, name)
			}
		}
		var places []place
		var rows []string
		for len(rows) < 50 {
			at, err := file.next()
			if err != nil {
				break
			}
			places, rows = append(places, at), append(rows, strings.Join(file.record, "\x00"))
		}
		for i := len(rows) - 1; i >= 0 && file.seekable(); i-- {
			if err := file.seek(places[i]); err != nil {
				t.Fatal(err)
			}
			if at, err := file.next(); err != nil || at.line != places[i].line || strings.Join(file.record, "\x00") != rows[i] {
				t.Fatalf("row %d at %+v: got %q at line %d, %v, want %q", i+1, places[i], file.record, at.line, err, rows[i])
			}
		}
	})
}

// FuzzNumber checks that the canonical form of a number in any dialect is a number in Go.
func FuzzNumber(f *testing.F) {
	for _, cell := range []string{"1.234,5", "1,234", "-1 234,5e3", "1'234.5", "50 %", ".5", "+,5", "10.100.200.100", "1,,2"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		cell = strings.TrimSpace(cell)
		for _, decimal := range ".," {
			for _, thousands := range "\x00" + separators {
				if thousands == decimal {
					continue
				}
				d := dialect{delimiter: ';', decimal: decimal, thousands: max(0, thousands)}
				number, ok := d.canonical(cell)
				if _, sound := parse(number); ok && !sound {
					t.Fatalf("%+v: %q is %q, which is no number", d, cell, number)
				}
				if ok && strings.ContainsRune(number, ',') {
					t.Fatalf("%+v: %q is %q", d, cell, number)
				}
			}
		}
	})
}

// FuzzShortNumber looks for a number whose bits differ from those of [strconv.ParseFloat].
func FuzzShortNumber(f *testing.F) {
	for _, cell := range []string{"0", "-0", "-0.000", ".5", "5.", ".", "-", "", "1.2.3", "74.5653", "9007199254740991", "9007199254740993", "0.000000000000000000000001", "1e5", "+1", "1_0", "--1", "1-"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		got, ok := parseShort(cell)
		if !ok {
			return
		}
		if want, err := strconv.ParseFloat(cell, 64); err != nil || math.Float64bits(got) != math.Float64bits(want) || !isDecimal(cell) {
			t.Errorf("%q: got %v, want %v, %v", cell, got, want, err)
		}
	})
}

// Numbers of up to 15 digits are read without [strconv.ParseFloat], with the same bits.
func TestShortNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringMatching(`-?([0-9]{1,15}|[0-9]{1,7}\.[0-9]{0,8}|\.[0-9]{1,15})`).Draw(t, "cell")
		want, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := parseShort(cell); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: got %v, %t, want %v", cell, got, ok, want)
		}
	})
}
