package pipeline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/option"
)

// ReadFiles reads the files that the task's options name. Relative paths start at folder.
// Errors are *option.Error.
func (t *Task) ReadFiles(folder string) error {
	for _, o := range t.Options {
		if o.Type != "file" || o.Text() == "" {
			continue
		}
		if folder != "" && !filepath.IsAbs(o.Text()) {
			if err := o.Set(filepath.Join(folder, o.Text())); err != nil {
				return err
			}
		}
		b, err := os.ReadFile(o.Text())
		if errors.Is(err, fs.ErrNotExist) {
			return option.Errorf(o.Name, "%s: no such file", o.Text())
		}
		if err != nil {
			return option.Errorf(o.Name, "%v", err)
		}
		if err := o.Load(b); err != nil {
			return option.Errorf(o.Name, "%s: %v", o.Text(), err)
		}
	}
	return nil
}
