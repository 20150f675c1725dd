package journal

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostLine bounds a line, in bytes.
const mostLine = 16 << 20

// A Damage reports the first wrong line.
type Damage struct {
	Line int
	What string
}

func (e *Damage) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// A State is the state of the journal after its last complete line.
type State struct {
	Lines int      // complete lines
	Size  int64    // bytes of these lines
	Head  [32]byte // SHA-256 of the last line; zeros if there is none
	Torn  []byte   // incomplete line after it
}

// Read reads a journal from the state that it had before, and passes each line to f. It returns a
// *Damage for the first line that is not as this program writes it, or does not follow the line
// before. A last line without a newline is Torn, not an error.
func (s *State) Read(r io.Reader, f func(Line)) error {
	b := bufio.NewReader(r)
	for {
		line, err := readLine(b)
		if errors.Is(err, io.EOF) {
			s.Torn = line
			return nil
		}
		if err != nil {
			return err
		}
		if line == nil {
			return &Damage{s.Lines + 1, fmt.Sprintf("want at most %d bytes", mostLine)}
		}
		l, err := decode(line)
		if err == nil {
			err = s.follows(l)
		}
		if err != nil {
			return &Damage{s.Lines + 1, err.Error()}
		}
		s.Lines, s.Size, s.Head = s.Lines+1, s.Size+int64(len(line))+1, sha256.Sum256(line)
		f(l)
	}
}

// readLine returns a line without its newline, or nil if it is too long. With io.EOF it returns
// the rest.
func readLine(b *bufio.Reader) (line []byte, err error) {
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return nil, nil
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

func (s *State) follows(l Line) error {
	if want := hex.EncodeToString(s.Head[:]); l.Previous != want {
		return fmt.Errorf("want the digest %s of line %d, got %s: this line or the one before was changed, or lines between them are gone", short(want), s.Lines, short(l.Previous))
	}
	if l.Number != s.Lines+1 {
		return fmt.Errorf("want number %d, got %d", s.Lines+1, l.Number)
	}
	return nil
}

func short(digest string) string { return strings.ToValidUTF8(digest[:min(16, len(digest))], "?") }

// append returns the next line, with its newline. After an error the state is unchanged.
func (s *State) append(l Line) ([]byte, error) {
	l.Version, l.Number, l.Previous = version, s.Lines+1, hex.EncodeToString(s.Head[:])
	line, err := l.encode()
	if err != nil {
		return nil, err
	}
	s.Lines, s.Size, s.Head = s.Lines+1, s.Size+int64(len(line))+1, sha256.Sum256(line)
	return append(line, '\n'), nil
}
