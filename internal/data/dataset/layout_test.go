package dataset_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// Features returns the columns that loading gives, also with missing cells.
func TestFeatures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("when,x,fault,y,z\n2026-01-01,1,0,,3\n2026-01-02,2,1,5,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	features, ignored, err := dataset.Features(dataset.Spec{Data: []string{path}, Label: "fault", Ignore: []string{" z"}})
	if err != nil || !reflect.DeepEqual(features, []string{"x", "y"}) || !reflect.DeepEqual(ignored, []string{"when"}) {
		t.Errorf("got %q and %q, %v", features, ignored, err)
	}
	loaded, err := dataset.LoadOne(dataset.Spec{Data: []string{path}, Label: "fault", Ignore: []string{"z"}, Missing: dataset.SkipMissing})
	if err != nil || !reflect.DeepEqual(loaded.Columns, features) {
		t.Errorf("loaded are %q, %v", loaded.Columns, err)
	}
	for want, spec := range map[string]dataset.Spec{
		"there is no such column": {Data: []string{path}, Label: "falt"},
		"no column is a feature":  {Data: []string{path}, Ignore: []string{"x", "y", "z", "fault"}},
		"no such file or folder":  {Data: []string{path + "x"}},
	} {
		if _, _, err := dataset.Features(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
