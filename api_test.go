package collabdict_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/api.txt again")

// public reports whether other modules may import a package.
func public(pkg string) bool {
	return !slices.ContainsFunc([]string{"internal", "cmd", "examples", "deploy", "docs", "scripts"}, func(part string) bool {
		return slices.Contains(strings.Split(pkg, "/"), part)
	})
}

// testdata/api.txt lists all exported names of the packages that other modules may import, so that a
// change which widens the door is seen. It also lists which of them show a type of a package that others
// cannot import.
func TestExportedNamesAreListed(t *testing.T) {
	var lines []string
	for _, s := range parseTree(t) {
		if !public(s.pkg) || s.isTest() || s.file.Name.Name == "main" {
			continue
		}
		for _, e := range exported(s.file) {
			lines = append(lines, s.pkg+": "+e.name)
			for _, hidden := range hiddenTypes(s.file, e.shown) {
				lines = append(lines, s.pkg+": "+e.name+" shows "+hidden)
			}
		}
	}
	slices.Sort(lines)
	got := []byte(strings.Join(slices.Compact(lines), "\n") + "\n")
	path := filepath.Join("testdata", "api.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		for _, line := range bytes.Split(got, []byte("\n")) {
			if !bytes.Contains(want, append(line, '\n')) {
				t.Errorf("not listed: %s", line)
			}
		}
		t.Errorf("%s is stale: run go test -run TestExportedNamesAreListed -update .", path)
	}
}

// An entry is an exported name with the expressions that its users see.
type entry struct {
	name  string
	shown []ast.Node
}

func exported(f *ast.File) (all []entry) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of := d.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if index, ok := of.(*ast.IndexExpr); ok {
					of = index.X
				}
				id, ok := of.(*ast.Ident)
				if !ok || !id.IsExported() {
					continue
				}
				name = id.Name + "." + name
			}
			if d.Name.IsExported() {
				all = append(all, entry{"func " + name, []ast.Node{d.Type}})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						all = append(all, typeEntries(spec)...)
					}
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if id.IsExported() {
							e := entry{name: d.Tok.String() + " " + id.Name}
							if spec.Type != nil {
								e.shown = []ast.Node{spec.Type}
							}
							all = append(all, e)
						}
					}
				}
			}
		}
	}
	return all
}

func typeEntries(spec *ast.TypeSpec) (all []entry) {
	name := "type " + spec.Name.Name
	if spec.Assign.IsValid() { // an alias gives an internal type a public name
		return []entry{{name: name}}
	}
	var fields *ast.FieldList
	switch of := spec.Type.(type) {
	case *ast.StructType:
		fields = of.Fields
	case *ast.InterfaceType:
		fields = of.Methods
	default:
		return []entry{{name, []ast.Node{spec.Type}}}
	}
	all = []entry{{name: name}}
	for _, field := range fields.List {
		for _, id := range field.Names {
			if id.IsExported() {
				all = append(all, entry{name + "." + id.Name, []ast.Node{field.Type}})
			}
		}
		if len(field.Names) == 0 {
			all = append(all, entry{name, []ast.Node{field.Type}})
		}
	}
	return all
}

// hiddenTypes returns the names from packages that other modules cannot import.
func hiddenTypes(f *ast.File, shown []ast.Node) (names []string) {
	internal := map[string]bool{}
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		internal[name] = strings.Contains(path+"/", "/internal/")
	}
	for _, node := range shown {
		ast.Inspect(node, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := s.X.(*ast.Ident); ok && internal[id.Name] {
				var b bytes.Buffer
				if err := printer.Fprint(&b, token.NewFileSet(), s); err != nil {
					fmt.Fprint(&b, err)
				}
				names = append(names, b.String())
			}
			return false
		})
	}
	return names
}
