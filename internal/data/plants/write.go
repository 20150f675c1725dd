package plants

import (
	"path/filepath"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// WriteCSV writes a file per plant into dir, named after the plant, and returns the paths.
// After the sensors come the columns label and split (train or test), so that --label label
// --where split=train --test-where split=test reads the same data. It replaces existing files.
func WriteCSV(dir string, all []dataset.Participant) ([]string, error) {
	paths := make([]string, len(all))
	for i, p := range all {
		paths[i] = filepath.Join(dir, p.Name+".csv")
		if _, err := dataset.Write(paths[i], p); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
