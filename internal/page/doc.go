// Package page has the page that this program's servers show to browsers: its sources, and the files
// that are made of them. Each server has an entry of its own in src, which names its views, so what
// depends on rows is in no page of a server that may not show them.
//
// After a change in src, write the files in dist:
//
//	go test ./internal/page -run TestFilesAreCurrent -update
//
// Start reading at src/serve.js, which lists the views of one page, and src/shell.js, which shows them.
package page
