package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/idx"
)

// labelColumn is the name of the column with the labels of images.
const labelColumn = "label"

var labelsFormat = &fileFormat{endings: []string{"-idx1-ubyte", "-idx1-ubyte.gz", ".idx1-ubyte", ".idx1-ubyte.gz"}}

// allIDX reports whether all files are IDX.
func allIDX(files []string) bool {
	return !slices.ContainsFunc(files, func(path string) bool { return !idxFormat.fits(path) })
}

// labelsFiles returns the possible paths of the labels of images: train-labels-idx1-ubyte.gz
// for train-images-idx3-ubyte.gz, compressed or not.
func labelsFiles(path string) []string {
	name := filepath.Base(path)
	images, dims := strings.LastIndex(name, "images"), strings.LastIndex(name, "idx3")
	if images < 0 || dims < images {
		return nil
	}
	name = name[:images] + "labels" + name[images+len("images"):dims] + "idx1" + name[dims+len("idx3"):]
	plain := strings.TrimSuffix(name, ".gz")
	files := []string{name, plain, plain + ".gz"}
	for i := range files {
		files[i] = filepath.Join(filepath.Dir(path), files[i])
	}
	return files
}

// labelsBeside returns the path of the labels of images, "" if there is none.
func labelsBeside(path string) string {
	for _, f := range labelsFiles(path) {
		if _, err := os.Stat(f); err == nil {
			return f
		}
	}
	return ""
}

// labelsHint says where labels would be found, if labels are missing.
func labelsHint(path, column string) string {
	if column != labelColumn || !idxFormat.fits(path) {
		return ""
	}
	if files := labelsFiles(path); files != nil {
		return "; labels would be in " + files[0]
	}
	return ""
}

// readLabels reads the labels of n images.
func readLabels(path, images string, n int) ([]byte, error) {
	f, err := openFile(path, nil)
	if err != nil {
		return nil, err
	}
	defer f.close()
	r, err := f.content()
	if err != nil {
		return nil, err
	}
	a, err := idx.Read(r)
	if err != nil {
		return nil, (&idxFile{file: f}).fault(err)
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		return nil, &Error{File: path, Msg: fmt.Sprintf("want %d labels, one for each image of %s, got an array of shape %v", n, images, a.Shape)}
	}
	return a.Data, nil
}
