package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/algorithms"
)

// rooms are where algorithms are, and where the registry names their packages.
var rooms = []string{"gmm", "vae", "internal/algorithms", "cmd/paper"}

// An algorithm's name stands in its own room alone: nothing of the program, of what it
// writes or of the protocol may depend on which algorithms there are.
func TestAlgorithmsAreNamedInTheirRoomsAlone(t *testing.T) {
	names := map[string]bool{}
	for _, k := range algorithms.All() {
		names[k.Name] = true
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		for _, room := range rooms {
			if strings.HasPrefix(filepath.ToSlash(rel), room+"/") {
				return nil
			}
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false // where a package is, not which algorithm it is of
			case *ast.BasicLit:
				if n.Kind != token.STRING {
					return false
				}
				text, _ := strconv.Unquote(n.Value)
				for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
					if names[word] {
						t.Errorf("%s: %q names the algorithm %s", fset.Position(n.Pos()), text, word)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
