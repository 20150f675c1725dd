package cli

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
	"github.com/collabdict/collabdict/internal/testkit"
)

// rooms are the folders of algorithms and of their registry.
var rooms = []string{"internal/algorithms", "internal/mixtures", "internal/networks", "lab"}

// Only the folders of algorithms name an algorithm. The rest of the program, its files and the
// protocol do not depend on which algorithms there are.
func TestOnlyAlgorithmFoldersNameAlgorithms(t *testing.T) {
	testkit.SkipRaced(t)
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
				return false // a path may contain a name
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
