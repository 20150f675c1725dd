package dataset

import (
	"strings"
	"testing"
)

// Of several errors, that of the first field is reported each time.
func TestTheFirstErrorOfCSVIsReported(t *testing.T) {
	for range 50 {
		if err := (&CSV{Delimiter: "ab", Comment: "cd"}).Check(); err == nil || !strings.Contains(err.Error(), "csv: delimiter: want one character") {
			t.Fatalf("got %v", err)
		}
	}
}
