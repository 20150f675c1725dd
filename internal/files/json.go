package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// DecodeJSON decodes one value that this program has written. Fields that the target does not have,
// and data after the value, are errors. Their messages use what, such as "ledger", without an
// article.
func DecodeJSON(b []byte, what string, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("want a %s, got none: %w", what, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("want one %s, got more after it", what)
	}
	return nil
}

// WriteJSON writes a value as indented JSON, like [Write], for the owner alone.
func WriteJSON(path string, v any) error {
	return Write(path, 0o600, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}
