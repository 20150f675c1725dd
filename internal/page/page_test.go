package page

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write the files of the pages")

// pages are the pages, by the names of their entries.
var pages = []string{"serve", "node"}

// build returns the files of a page.
func build(t *testing.T, name string) map[string][]byte {
	t.Helper()
	licence, err := os.ReadFile("vendor/uplot/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	r := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: "src/" + name + ".js", OutputPath: "page"}},
		Bundle:              true, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsEndOfFile,
		Outdir: "dist/" + name, Footer: map[string]string{"js": "/*! uPlot\n" + string(licence) + "*/"},
	})
	for _, m := range append(r.Errors, r.Warnings...) {
		t.Fatalf("%s:%d:%d: %s", m.Location.File, m.Location.Line, m.Location.Column, m.Text)
	}
	files := map[string][]byte{}
	for _, f := range r.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for _, name := range []string{"index.html", "icon.svg"} {
		text, err := os.ReadFile(filepath.Join("src", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	return files
}

// The files that are served are made of the sources beside them.
func TestFilesAreCurrent(t *testing.T) {
	for _, name := range pages {
		folder, files := filepath.Join("dist", name), build(t, name)
		if *update {
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			for file, text := range files {
				if err := os.WriteFile(filepath.Join(folder, file), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != len(files) {
			t.Errorf("%s: got %d files, want %d: run this test with -update", folder, len(entries), len(files))
		}
		for file, want := range files {
			if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s differs from what its sources give (%v): run this test with -update", folder, file, err)
			}
		}
	}
}

// All pages together take less than 300 kB on the wire, and none asks another server or has scripts or
// styles in its markup.
func TestPagesAreSmallAndSelfContained(t *testing.T) {
	var small bytes.Buffer
	err := fs.WalkDir(dist, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := dist.ReadFile(path)
		if err != nil {
			return err
		}
		w := gzip.NewWriter(&small)
		if _, err := w.Write(text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		if filepath.Ext(path) == ".html" {
			for _, never := range []string{"//", "<style", " style=", " on", "<script>"} {
				if strings.Contains(string(text), never) {
					t.Errorf("%s has %q", path, never)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if small.Len() >= 300_000 {
		t.Errorf("the files take %d bytes", small.Len())
	}
	t.Logf("%d bytes", small.Len())
}
