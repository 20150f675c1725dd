// Package browser tests the pages in Chromium, against the built program. It is a module of its own, so
// that neither the program nor its other tests need what drives a browser. Run it by make page.
package browser
