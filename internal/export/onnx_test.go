package export

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The bytes of a file stay the same, so tools that have read one file can read the next.
func TestBytesOfAFile(t *testing.T) {
	f := exported(t, autoEncoderOf(3, 0))
	const want = "32bb145f22c1ec0ac56fe1cc71b2a44e58915eaf0698730818e164d61ac46db1"
	if got := fmt.Sprintf("%x", sha256.Sum256(f.Bytes)); got != want {
		t.Errorf("got SHA-256 %s, want %s", got, want)
	}
}

// A file describes its model, and reveals nothing about the participant except the listed parts.
func TestContentsOfAFile(t *testing.T) {
	m := autoEncoderOf(3, 0)
	m.Manifest.Participant, m.Manifest.TotalRows = "plant-a", 123456789
	f := exported(t, m)
	of := decoded(t, f.Bytes)
	if of.IR != 7 || of.Opset != 13 || of.Producer != "collabdict" {
		t.Errorf("got IR version %d, operator set %d of %q", of.IR, of.Opset, of.Producer)
	}
	want := map[string]string{
		"kind": "mtvae", "columns": `["column 1","column 2","column 3"]`, "digest": "abc", "threshold": "2.5", "false_alarm": "0.01",
	}
	if !maps.Equal(of.Properties, want) {
		t.Errorf("got %v, want %v", of.Properties, want)
	}
	if of.Inputs[0].Name != "rows" || !strings.HasSuffix(of.Inputs[0].Doc, "column 1, column 2, column 3") {
		t.Errorf("got input %+v", of.Inputs[0])
	}
	for _, part := range []string{"plant-a", "123456789"} {
		if strings.Contains(string(f.Bytes), part) {
			t.Errorf("%q is in the file", part)
		}
	}
	var own []string
	for _, e := range f.Contents {
		if e.Of == Own {
			own = append(own, e.Name)
		}
	}
	if !slices.Equal(own, []string{"shift, scale", "encoder", "threshold, false_alarm"}) {
		t.Errorf("got %v as its own", own)
	}
}

// The export warns about columns whose values lose too many digits in single precision.
func TestWarnsOfColumnsFarFromZero(t *testing.T) {
	m := autoEncoderOf(3, 0)
	m.Scaling.Shift[1], m.Scaling.Scale[1] = 101325, 0.5
	f := exported(t, m)
	if len(f.Warnings) != 1 || !strings.HasPrefix(f.Warnings[0], `column "column 2": rows are read in single precision, which rounds values around 101325 by up to 0.006, 0.012 of its scale`) {
		t.Errorf("got %q", f.Warnings)
	}
}
