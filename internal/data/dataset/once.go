package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"
)

// StandardInput is the name of the source "-" in messages, and as the file of an [Error].
const StandardInput = "standard input"

// once is a source that can be read only once, CSV or JSON lines: a file for readers that move
// forward, and its own information, by which [openFile] finds it. Until passed is set, readers may
// start again.
type once struct {
	name    string   // in messages
	objects bool     // not CSV
	columns []kind   // columns of a query result
	header  []string // names of the columns, once it has been opened
	// unordered reports whether the query leaves the order of its rows open.
	unordered bool

	from   *feed
	read   int64  // bytes read
	prefix *spool // first bytes, kept for another reader; nil when none needs them
	passed bool
	err    error
}

// mostPrefix bounds the first bytes in memory. They are more if a column begins with many empty
// cells.
const mostPrefix = 16 << 20

// isOnce reports whether a resolved source can be read only once.
func isOnce(path string) bool { return path == StandardInput || queryFormat.fits(path) }

// Input reports whether Data names standard input.
func (s *Spec) Input() bool { return slices.Contains(s.Data, "-") }

// Unordered returns the queries sent that leave the order of their rows open.
func (s *Spec) Unordered() []string { return slices.Clone(s.unordered) }

// Forward begins to read the sources in Data that can be read only once, standard input and query
// results. The Spec can then be loaded, scanned or profiled once. silence returns a channel that
// receives after a while: the first lines of standard input alone say how it is written if no others
// come until then.
func (s *Spec) Forward(ctx context.Context, input io.Reader, silence func() <-chan time.Time) error {
	files, err := Resolve(s.Data)
	if err != nil {
		return err
	}
	s.once = make(map[string]*once)
	for _, path := range files {
		var from *once
		switch {
		case queryFormat.fits(path):
			from, err = query(ctx, path)
		case path == StandardInput:
			from, err = sniff(ctx, piped(ctx, input), silence)
		default:
			continue
		}
		if err != nil {
			return err
		}
		from.prefix = &spool{dir: s.Folder, most: mostPrefix}
		if s.Folder == "" {
			from.prefix.most = math.MaxInt64
		}
		s.once[path] = from
		if from.unordered {
			s.unordered = append(s.unordered, path)
		}
	}
	return nil
}

// open opens a file, or a source that can be read only once. before is nil at the first opening.
func (s *Spec) open(path string, before fs.FileInfo) (table, error) {
	from, once := s.once[path]
	if once {
		before = from
	}
	t, err := open(path, before, s.CSV)
	if err != nil {
		return nil, err
	}
	as, err := s.adapt(path, t)
	if err == nil {
		err = s.divide(path, t)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	if once {
		from.header = as.header()
	}
	return as, nil
}

// pass declares that a source has been opened for the last time.
func (s *Spec) pass(path string) {
	if from, ok := s.once[path]; ok {
		from.passed = true
	}
}

// IsDatabase reports whether a path is a database connection string instead.
func IsDatabase(path string) bool {
	return strings.Contains(path, "postgres://") || strings.Contains(path, "postgresql://") || strings.Contains(path, "password=")
}

// A feed passes bytes on from a goroutine that writes them, which is ahead of the reader by at most
// mostAhead pieces.
type feed struct {
	ctx context.Context // ends the writing
	// silence returns a channel that receives once a source that is silent from then on has been so
	// for long.
	silence func() <-chan time.Time
	pieces  chan []byte
	err     error // of the writer, valid once pieces is closed
	rest    []byte
	// idle, if not nil, is called before a read waits for the writer.
	idle func()
	// ended, if not nil, is closed once nobody wants more: a read that waits then fails.
	ended <-chan struct{}
	// If enough is above 0, a read fails with errIdle once this number of lines has been read and
	// silence says that the writer has been silent for long. The next read goes on.
	enough int
	lines  int // read so far, as far as they are counted
}

// mostAhead bounds the pieces in a feed, of bufferSize bytes each.
const mostAhead = 16

// mostEnough is the largest value of enough.
const mostEnough = 2

// errIdle reports that a source has nothing more to read at present.
var errIdle = errors.New("dataset: the source is silent")

func newFeed(ctx context.Context, silence func() <-chan time.Time) *feed {
	return &feed{ctx: ctx, silence: silence, pieces: make(chan []byte, mostAhead)}
}

// Write passes a copy of p on. It fails once the context has ended.
func (f *feed) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, bufferSize) {
		select {
		case f.pieces <- slices.Clone(piece):
			n += len(piece)
		case <-f.ctx.Done():
			return n, f.ctx.Err()
		}
	}
	return n, nil
}

// end ends the feed, with io.EOF if err is nil. Nothing may be written after it.
func (f *feed) end(err error) {
	f.err = err
	if err == nil {
		f.err = io.EOF
	}
	close(f.pieces)
}

// Read returns what is there, or waits for it.
func (f *feed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		var ok bool
		select {
		case f.rest, ok = <-f.pieces:
		default:
			if f.idle != nil {
				f.idle()
			}
			var silent <-chan time.Time
			if f.enough > 0 && f.lines >= f.enough {
				silent = f.silence()
			}
			select {
			case f.rest, ok = <-f.pieces:
			case <-silent:
				return 0, errIdle
			case <-f.ended:
				return 0, errEnded
			}
		}
		if !ok {
			return 0, f.err
		}
		if f.lines < mostEnough {
			f.lines += bytes.Count(f.rest, []byte{'\n'})
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// piped reads until the context ends, also while the source is idle.
func piped(ctx context.Context, from io.Reader) *io.PipeReader {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(w, from)
		w.CloseWithError(err)
	}()
	return r
}

// sniff recognises standard input by its first bytes: compressed or not, CSV or JSON lines.
func sniff(ctx context.Context, from *io.PipeReader, silence func() <-chan time.Time) (*once, error) {
	b, _, err := decompressed(StandardInput, from)
	if err != nil {
		return nil, err
	}
	out := &once{name: StandardInput, objects: beginsObject(b), from: newFeed(ctx, silence)}
	go func() {
		_, err := io.Copy(out.from, b)
		if err != nil && !errors.Is(err, context.Canceled) {
			err = readError(StandardInput, true, err)
		}
		from.Close()
		out.from.end(err)
	}()
	return out, nil
}

// beginsObject reports whether the first text is JSON. A read error is returned by the next
// read.
func beginsObject(b *bufio.Reader) bool {
	marks := []string{"\ufeff", "\xff\xfe", "\xfe\xff"} // UTF-8, and UTF-16 of both orders
	for n := 1; ; n = b.Buffered() + 1 {
		_, err := b.Peek(min(n, bufferSize))
		first, _ := b.Peek(b.Buffered()) // does not wait
		text := string(first)
		if err == nil && slices.ContainsFunc(marks, func(mark string) bool { return len(text) < len(mark) && strings.HasPrefix(mark, text) }) {
			continue
		}
		for _, mark := range marks {
			text = strings.TrimPrefix(text, mark)
		}
		text = strings.TrimLeft(text, " \t\r\n\x00") // UTF-16 has zeros between
		if text != "" || err != nil || n >= bufferSize {
			return text != "" && (text[0] == '{' || text[0] == '[')
		}
	}
}

// ReadAt returns the bytes available, even if they do not fill p, rather than wait for more.
func (o *once) ReadAt(p []byte, offset int64) (int, error) {
	if o.prefix != nil && offset < o.prefix.size {
		n, err := o.prefix.ReadAt(p, offset)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return n, err
	}
	if offset != o.read {
		panic("dataset: a source that can be read only once is read from another place")
	}
	if o.err != nil {
		return 0, o.err
	}
	var n int
	if n, o.err = o.from.Read(p); errors.Is(o.err, errIdle) {
		o.err = nil
		return 0, errIdle
	}
	if o.passed && o.prefix != nil && n > 0 {
		o.prefix.close()
		o.prefix = nil
	}
	if o.prefix != nil {
		if _, err := o.prefix.addBytes(p[:n]); err != nil {
			o.err = o.prefix.fault(o.name)
			return 0, o.err
		}
	}
	o.read += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, o.err
}

// hasten makes reads fail with errIdle after a number of lines, or wait again if that is 0; see
// [feed].
func (f *file) hasten(lines int) {
	if o, ok := f.disk.(*once); ok {
		o.from.enough = lines
	}
}

// open opens the source as a table.
func (o *once) open(set CSV) (table, error) {
	if o.objects {
		return openNDJSON(o.name, o, set)
	}
	if o.columns == nil {
		return csvFormat.open(o.name, o, set)
	}
	t, err := openCSV(o.name, o, nil)
	if err != nil {
		return nil, err
	}
	return &resultTable{csvFile: t, columns: o.columns}, nil
}

// These methods implement fs.FileInfo and the reading that [file] needs.
func (o *once) Name() string               { return o.name }
func (o *once) Size() int64                { return 0 }
func (o *once) Mode() fs.FileMode          { return 0o600 }
func (o *once) ModTime() time.Time         { return time.Time{} }
func (o *once) IsDir() bool                { return false }
func (o *once) Sys() any                   { return nil }
func (o *once) Stat() (fs.FileInfo, error) { return o, nil }
func (o *once) Close() error               { return nil }
