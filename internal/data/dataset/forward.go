package dataset

import "io"

// forward is an io.ReaderAt over a source that can be read only once, for readers that move
// forward. Until passed is set, readers may start again.
type forward struct {
	from   io.Reader
	at     int64  // bytes read
	prefix []byte // first bytes, kept for another reader
	passed bool   // no further reader will start again
	err    error
}

// ReadAt returns the bytes available, even if they do not fill p, rather than wait for more.
func (f *forward) ReadAt(p []byte, at int64) (int, error) {
	if at < int64(len(f.prefix)) {
		return copy(p, f.prefix[at:]), nil
	}
	if at != f.at {
		panic("dataset: a source that can be read only once is read from another place")
	}
	if f.err != nil {
		return 0, f.err
	}
	var n int
	n, f.err = f.from.Read(p)
	if !f.passed {
		f.prefix = append(f.prefix, p[:n]...)
	} else if n > 0 {
		f.prefix = nil
	}
	f.at += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, f.err
}
