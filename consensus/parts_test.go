package consensus

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The parts of the machine own their state: none of them holds the machine, or a function that
// might be a closure over it.
func TestPartsHoldNoMachine(t *testing.T) {
	for _, part := range []reflect.Type{
		reflect.TypeFor[ballots](), reflect.TypeFor[attempt](), reflect.TypeFor[results](), reflect.TypeFor[monitor](),
		reflect.TypeFor[openPads](), reflect.TypeFor[openSum](), reflect.TypeFor[standing](), reflect.TypeFor[opening](),
	} {
		seen := map[reflect.Type]bool{}
		var walk func(u reflect.Type, path string)
		walk = func(u reflect.Type, path string) {
			if seen[u] || u.PkgPath() != "" && u.PkgPath() != part.PkgPath() {
				return
			}
			seen[u] = true
			switch u.Kind() {
			case reflect.Func:
				t.Errorf("%s is a function", path)
			case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
				walk(u.Elem(), path)
			case reflect.Struct:
				if u == reflect.TypeFor[Machine]() || u == reflect.TypeFor[slot]() {
					t.Errorf("%s holds a %s", path, u)
				}
				for i := range u.NumField() {
					walk(u.Field(i).Type, path+"."+u.Field(i).Name)
				}
			}
		}
		walk(part, part.Name())
	}
}

// The fields of a part are changed only in its own file.
func TestPartsAreChangedInTheirFilesAlone(t *testing.T) {
	owners := map[string]string{"ballots": "ballot.go", "monitor": "monitor.go", "results": "seal.go"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		check := func(changed ast.Expr) {
			for x := changed; ; {
				switch e := x.(type) {
				case *ast.IndexExpr:
					x = e.X
					continue
				case *ast.SelectorExpr:
					x = e.X
					if part, is := x.(*ast.SelectorExpr); is && owners[part.Sel.Name] != "" && owners[part.Sel.Name] != file {
						t.Errorf("%s: changes %s.%s", set.Position(e.Pos()), part.Sel.Name, e.Sel.Name)
					}
					continue
				}
				return
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					check(left)
				}
			case *ast.IncDecStmt:
				check(n.X)
			case *ast.CallExpr:
				if name, is := n.Fun.(*ast.Ident); is && slices.Contains([]string{"delete", "clear"}, name.Name) {
					check(n.Args[0])
				}
			}
			return true
		})
	}
}
