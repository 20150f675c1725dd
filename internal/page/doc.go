// Package page has the page that this program's servers show to browsers: its sources, and the files
// that are made of them. Each server has an entry of its own in src, which names its views, so what
// depends on rows is in no page of a server that may not show them.
//
// After a change in src, write the files in dist:
//
//	go test ./internal/page -run TestFilesAreCurrent -update
//
// To add a view, write a module with a View (src/shell.js), name it in the entry of each page that shows it, and
// put its words into src/messages.js. To add a page, write its entry, name that in page_test.go, and return its
// folder of dist as Serve does; web.AddFiles serves it.
//
// Start reading at src/serve.js, which lists the views of one page, and src/shell.js, which shows them.
package page
