package follow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// piece is the number of bytes read at a time.
	piece = 1 << 18
	// headSize is the number of first bytes by which a file that was truncated, and has grown again, is noticed.
	headSize = 4096
	// mostLine bounds the bytes of a line, which are held in memory.
	mostLine = 32 << 20
)

// A Tail follows the file of a path. It is not safe for concurrent use.
type Tail struct {
	Path string
	// Wait returns a channel that receives when it is time to look at the file again.
	Wait func() <-chan time.Time
	// Tell is called with a line about what is unusual.
	Tell func(line string)

	now    *File
	header string
}

// Open returns the first file: that in which a place is, at its beginning, or else the one of the path as soon as
// there is one. skip is the number of rows that were used of it. The error is that of the context, or of a file
// that is no text.
func (t *Tail) Open(ctx context.Context, at *Place) (f *File, skip int, err error) {
	if at != nil && at.Bytes > 0 {
		t.header = at.Header
		was, err := at.find(t.Path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, 0, err
		}
		if was != nil {
			f, err = t.take(ctx, was)
			return f, at.Rows, err
		}
		t.Tell(fmt.Sprintf("warning: the file that was read before is not %s, nor one beside it whose name begins so: rows at its end may be missing", t.Path))
	}
	f, err = t.wait(ctx)
	return f, 0, err
}

// Next returns the file that follows one which has ended.
func (t *Tail) Next(ctx context.Context) (*File, error) {
	defer t.now.file.Close()
	if t.now.truncated {
		return t.wait(ctx)
	}
	for {
		is, err := os.Stat(t.Path)
		if err == nil && !os.SameFile(is, t.now.info) {
			return t.wait(ctx)
		}
		if err := t.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// Close closes the file that is read.
func (t *Tail) Close() {
	if t.now != nil {
		t.now.file.Close()
	}
}

// pause waits until it is time to look again.
func (t *Tail) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.Wait():
		return ctx.Err()
	}
}

// wait opens the file of the path, as soon as there is one.
func (t *Tail) wait(ctx context.Context) (*File, error) {
	for told := false; ; told = true {
		f, err := os.Open(t.Path)
		if err == nil {
			return t.take(ctx, f)
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !told {
			t.Tell("waiting for " + t.Path)
		}
		if err := t.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// ErrForm reports a file that cannot be followed.
var ErrForm = errors.New("want a file of lines")

func (t *Tail) take(ctx context.Context, f *os.File) (*File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w, got a %s", t.Path, ErrForm, kindOf(info))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	t.now = &File{tail: t, ctx: ctx, file: f, info: info, sum: sha256.New(), known: t.header}
	return t.now, nil
}

func kindOf(info os.FileInfo) string {
	if info.IsDir() {
		return "folder"
	}
	return "pipe or device"
}

// A File is a file that grows. It implements io.Reader: a read waits for a whole line, and returns io.EOF once
// another file has taken the place of this one.
type File struct {
	tail *Tail
	ctx  context.Context
	file *os.File
	info os.FileInfo

	head   []byte // the first bytes
	offset int64  // bytes read
	rest   []byte // bytes after the last whole line
	lines  []byte // whole lines to return
	known  string // the header of the file before, until the first line of this one was read
	begun  bool   // the first line was read
	ended  bool
	// last reports whether another file was at the path at the last look. The writer of this one may not have
	// noticed yet.
	last      bool
	truncated bool

	mu    sync.Mutex // of the fields below, which [File.Place] reads
	bytes int64      // returned
	sum   hash.Hash  // of these
	first string     // the header
}

// Place returns the place after a number of rows, which were read.
func (f *File) Place(rows int) *Place {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Place{f.bytes, hex.EncodeToString(f.sum.Sum(nil)), rows, f.first}
}

// Ready waits for the first line, and reports whether there is one.
func (f *File) Ready() (bool, error) {
	for len(f.lines) == 0 && !f.ended {
		if err := f.fill(); err != nil {
			return false, err
		}
	}
	return len(f.lines) > 0, nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	for len(f.lines) == 0 {
		if f.ended {
			return 0, io.EOF
		}
		if err := f.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.lines)
	f.lines = f.lines[n:]
	return n, nil
}

// fill reads lines, or waits.
func (f *File) fill() error {
	buffer := make([]byte, piece)
	n, err := f.file.ReadAt(buffer, f.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	intact, err := f.intact()
	if err != nil {
		return err
	}
	if !intact { // what was read may be from another place
		if len(f.rest) > 0 {
			f.tail.Tell("warning: " + f.tail.Path + " was truncated in the middle of a line, which is left out")
		}
		f.ended, f.truncated = true, true
		return nil
	}
	if n == 0 {
		return f.look()
	}
	f.last = false
	read := buffer[:n]
	f.offset += int64(n)
	f.head = append(f.head, read[:min(n, headSize-len(f.head))]...)
	if bytes.HasPrefix(f.head, []byte{0x1f, 0x8b}) {
		return fmt.Errorf("%s: %w, got gzip: compressed lines cannot be read as they are written", f.tail.Path, ErrForm)
	}
	f.rest = append(f.rest, read...)
	if end := bytes.LastIndexByte(f.rest, '\n') + 1; end > 0 {
		whole := f.rest[:end]
		f.rest = slices.Clone(f.rest[end:])
		f.give(whole)
	}
	if len(f.rest) > mostLine {
		return fmt.Errorf("%s: %w, got one of more than %d bytes", f.tail.Path, ErrForm, mostLine)
	}
	return nil
}

// intact reports whether the file still has what was read: its first bytes, and no fewer in all.
func (f *File) intact() (bool, error) {
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < f.offset {
		return false, nil
	}
	head := make([]byte, len(f.head))
	if _, err := f.file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.Equal(head, f.head), nil
}

// look looks whether another file has taken the place of this one, which has nothing more to read now. It waits
// otherwise, and once more after that, as the writer may still write to this one.
func (f *File) look() error {
	is, err := os.Stat(f.tail.Path)
	another := err == nil && !os.SameFile(is, f.info)
	if another && f.last {
		rest := f.rest
		f.rest, f.ended = nil, true
		f.give(rest)
		return nil
	}
	f.last = another
	return f.tail.pause(f.ctx)
}

// give gives lines to the reader, after a header if the file has none.
func (f *File) give(lines []byte) {
	if len(lines) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bytes += int64(len(lines))
	f.sum.Write(lines) // never fails
	if !f.begun {
		f.begun = true
		line, _, _ := bytes.Cut(lines, []byte{'\n'})
		f.first = strings.TrimSuffix(string(line), "\r")
		if f.known != "" && rowOf(f.first, f.known) {
			f.first, f.lines = f.known, append(f.lines, f.known+"\n"...)
		}
		f.tail.header = f.first
	}
	f.lines = append(f.lines, lines...)
}

// rowOf reports whether a line of CSV is a row under a header: it has as many cells and a number, but none of the
// header's names.
func rowOf(line, header string) bool {
	separator := ","
	for _, s := range []string{";", "\t", "|"} {
		if strings.Count(header, s) > strings.Count(header, separator) {
			separator = s
		}
	}
	names, cells := strings.Split(header, separator), strings.Split(line, separator)
	number := false
	for _, cell := range cells {
		if cell = strings.Trim(cell, `" `); cell == "" {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool { return strings.Trim(name, `" `) == cell }) {
			return false
		}
		_, err := strconv.ParseFloat(strings.Replace(cell, ",", ".", 1), 64) // a comma may be the decimal sign
		number = number || err == nil
	}
	return number && len(cells) == len(names)
}
