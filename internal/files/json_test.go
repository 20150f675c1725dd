package files

import "testing"

func TestDecodeJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:         "",
		" {\"a\": 1}\n ":   "",
		``:                 "want a list, got none: EOF",
		`{"a": 1, "b": 2}`: `want a list, got none: json: unknown field "b"`,
		`{"a": "x"}`:       "want a list, got none: json: cannot unmarshal string into Go struct field .a of type int",
		`{"a": 1} {}`:      "want one list, got more after it",
		`{"a": 1}}`:        "want one list, got more after it",
	} {
		var v struct {
			A int `json:"a"`
		}
		got := ""
		if err := DecodeJSON([]byte(text), "list", &v); err != nil {
			got = err.Error()
		} else if v.A != 1 {
			t.Errorf("%q: got %d", text, v.A)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
