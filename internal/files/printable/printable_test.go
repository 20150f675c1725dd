package printable

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesAndTexts(t *testing.T) {
	for s, want := range map[string]struct{ name, text bool }{
		"":                {true, true},
		"Werk Köln 3":     {true, true},
		"プラント":            {true, true},
		"°C·m⁻²":          {true, true},
		"Temp.\u00a0(°C)": {false, true}, // no-break space
		"a\u202eb":        {},            // right to left
		"a\u2066b\u2069":  {},            // isolate
		"a\u200bb":        {},            // zero width
		"\ufeffa":         {},
		"a\u00adb":        {}, // soft hyphen
		"a\u2028b":        {},
		"a\tb":            {},
		"a\nb":            {},
		"a\x1b[2J":        {},
		"a\x7f":           {},
		"a\u009b2J":       {},
		"K\xf6ln":         {},
		"a\ue000":         {}, // private use
		"a\U000e0041":     {}, // tag
	} {
		if got := Name(s); got != want.name {
			t.Errorf("name %q: got %v, want %v", s, got, want.name)
		}
		if got := Text(s); got != want.text {
			t.Errorf("text %q: got %v, want %v", s, got, want.text)
		}
	}
}

func TestLines(t *testing.T) {
	for s, want := range map[string]string{
		"plain":                       "plain",
		"a\u202eb\u200bc\x1bd\ne":     "a b c d e",
		"K\xf6ln":                     "K?ln",
		strings.Repeat("ö", 30):       strings.Repeat("ö", 10) + "...",
		"x" + strings.Repeat("ö", 30): "x" + strings.Repeat("ö", 9) + "...",
	} {
		if got := Line(s, 20); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\u202eb\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s, 40)
		if !Text(got) || !utf8.ValidString(got) || len(got) > 40+len("...") {
			t.Errorf("%q: got %q", s, got)
		}
		if Text(s) && len(s) <= 40 && got != s {
			t.Errorf("%q: got %q, want it as it was", s, got)
		}
	})
}
