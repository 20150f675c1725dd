package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page of symptoms quotes messages that the program prints: each part between "…" is in
// the source.
func TestSymptomsAreMessages(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		source.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	source.WriteString("no space left on device") // by the system
	quoted := regexp.MustCompile("`([^`]+)`")
	for _, l := range documents(t)["../docs/how-to/symptom-cause-fix.md"].lines {
		if !strings.HasPrefix(l.text, "|") {
			continue
		}
		symptom := strings.Split(l.text, "|")[1]
		for _, message := range quoted.FindAllStringSubmatch(symptom, -1) {
			for part := range strings.SplitSeq(message[1], "…") {
				if !strings.Contains(source.String(), strings.TrimSpace(part)) {
					t.Errorf("line %d: the program prints no %q", l.number, part)
				}
			}
		}
	}
}
