package ledger

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/report"
)

const version = 1

// contents is the content of the file.
type contents struct {
	Version int      `json:"version"`
	Records []Record `json:"records"`
}

// decode decodes the file strictly.
func decode(b []byte) ([]Record, error) {
	var c contents
	if err := files.DecodeJSON(b, "ledger", &c); err != nil {
		return nil, err
	}
	if c.Version != version {
		return nil, fmt.Errorf("want version %d, got %d", version, c.Version)
	}
	for i, r := range c.Records {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	return c.Records, nil
}

func (r *Record) check() error {
	if raw, err := hex.DecodeString(r.ID); err != nil || len(raw) != 32 || r.ID != hex.EncodeToString(raw) {
		return fmt.Errorf("want an identity of 64 hexadecimal digits, got %q", r.ID)
	}
	if r.At.IsZero() {
		return errors.New("want a time, got none")
	}
	for i, e := range r.Entries {
		switch e.Kind {
		case report.TotalEntry, report.PublishedEntry, report.LoneEntry, report.NoiseEntry, report.ReleaseEntry:
		default:
			return fmt.Errorf("entry %d: unknown kind %q", i+1, e.Kind)
		}
		if s := e.Spend; s != nil && (!(s.ZCDP >= 0) || !(s.Epsilon >= 0) || !(s.Delta > 0 && s.Delta < 1)) {
			return fmt.Errorf("entry %d: want a loss and epsilon of at least 0 and a delta between 0 and 1, got %g, %g and %g", i+1, s.ZCDP, s.Epsilon, s.Delta)
		}
	}
	return nil
}
