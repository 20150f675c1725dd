package page

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Serve returns the files of the page of a server that scores rows.
func Serve() fs.FS {
	of, err := fs.Sub(dist, "dist/serve")
	if err != nil { // the name is valid
		panic("page: " + err.Error())
	}
	return of
}
