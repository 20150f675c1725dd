package dataset

import (
	"bytes"
	"fmt"
)

// aliens lists other file types by their first bytes, with advice.
var aliens = []struct{ magic, what, hint string }{
	{"PK\x03\x04", "a zip archive, perhaps an Excel workbook", "save the sheet as CSV, or unpack the archive"},
	{"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the sheet as CSV"},
	{"PAR1", "a Parquet file", "give it a name that ends with .parquet"},
	{"\x93NUMPY", "a NumPy array", "give it a name that ends with .npy"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it, or compress it by gzip"},
	{"BZh", "compressed by bzip2", "unpack it, or compress it by gzip"},
	{"\xfd7zXZ", "compressed by xz", "unpack it, or compress it by gzip"},
	{"%PDF", "a PDF document", "export the rows as CSV"},
	{"<!DOCTYPE", "a page of HTML", "download the file itself: this may be a page about an error"},
	{"<!doctype", "a page of HTML", "download the file itself: this may be a page about an error"},
	{"<html", "a page of HTML", "download the file itself: this may be a page about an error"},
	{"<?xml", "an XML document", "export the rows as CSV"},
	{`{"`, "JSON", "convert it to CSV"},
	{`[{"`, "JSON", "convert it to CSV"},
}

// alien returns an error if the first bytes are not those of CSV in UTF-8, otherwise nil.
func alien(head []byte) *Error {
	for _, a := range aliens {
		if bytes.HasPrefix(head, []byte(a.magic)) {
			return &Error{Msg: "want CSV, got " + a.what, Hint: a.hint}
		}
	}
	zero := bytes.IndexByte(head, 0)
	if zero < 0 {
		return nil
	}
	return &Error{Line: 1 + bytes.Count(head[:zero], []byte{'\n'}), Msg: fmt.Sprintf("byte %d of the file is 0, which is no text", zero+1), Hint: "the file is damaged or no CSV: export it again"}
}
