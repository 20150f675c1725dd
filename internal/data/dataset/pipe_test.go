//go:build unix

package dataset_test

import (
	"syscall"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// A pipe is refused, and does not block until it has a writer.
func TestPipesAreRefused(t *testing.T) {
	folder(t)
	for _, file := range []string{"a.csv", "a.parquet", "a.npy"} {
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Skip(err)
		}
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{file}})
		wantError(t, err, file+": want a file, got a folder, a pipe or a device; save the rows in a file")
	}
}
