package page

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Serve returns the files of the page of a server that scores rows.
func Serve() fs.FS { return files("serve") }

// Node returns the files of the page of a run: that of a node, or a finished one.
func Node() fs.FS { return files("node") }

func files(name string) fs.FS {
	of, err := fs.Sub(dist, "dist/"+name)
	if err != nil { // the name is valid
		panic("page: " + err.Error())
	}
	return of
}
