package secret

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

var shared = Secret("0123456789abcdef0123456789abcdef")

func party(id string, s Secret, agreement byte) Party {
	return Party{Secret: s, ID: peer.ID(id), Agreement: [32]byte{agreement}}
}

// exchanged returns the bytes that each of two parties has written, and the result at each.
func exchanged(a, b Party) (fromA, fromB []byte, ends [2]error) {
	x, y := net.Pipe()
	sent, answered := &tap{Conn: x}, &tap{Conn: y}
	done := make(chan error)
	go func() {
		err := b.Respond(answered, a.ID)
		y.Close()
		done <- err
	}()
	ends[0] = a.Initiate(sent, b.ID)
	x.Close()
	ends[1] = <-done
	return sent.wrote, answered.wrote, ends
}

// tap keeps the bytes that are written.
type tap struct {
	net.Conn
	wrote []byte
}

func (t *tap) Write(b []byte) (int, error) {
	t.wrote = append(t.wrote, b...)
	return t.Conn.Write(b)
}

func TestBothProve(t *testing.T) {
	for _, agreement := range []byte{1, 2} { // agreements may differ: they are compared later
		if _, _, ends := exchanged(party("a", shared, 1), party("b", shared, agreement)); ends != [2]error{} {
			t.Errorf("agreements 1 and %d: %v", agreement, ends)
		}
	}
}

// A party with another secret is refused, and receives no proof.
func TestAnotherSecretIsRefused(t *testing.T) {
	other := slices.Clone(shared)
	other[31]++
	for name, s := range map[string]Secret{"other": other, "shorter": shared[:16], "none": nil} {
		_, answered, ends := exchanged(party("a", s, 1), party("b", shared, 1))
		if !errors.Is(ends[0], ErrRefused) || !errors.Is(ends[1], ErrWrong) {
			t.Errorf("%s: %v at the initiator, %v at the responder", name, ends[0], ends[1])
		}
		if want := len(opening) + nonceBytes + 1; len(answered) != want {
			t.Errorf("%s: the initiator got %d bytes, want %d: a nonce and the refusal", name, len(answered), want)
		}
	}
}

// A said is an end of an exchange that sends fixed bytes, whatever it receives.
type said struct {
	io.Reader
	heard bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) { return s.heard.Write(b) }

func say(b []byte) *said { return &said{Reader: bytes.NewReader(b)} }

// A party's earlier messages prove nothing to the same peer, to another one, or to itself.
func TestRepeatedAndReflectedProofsAreWrong(t *testing.T) {
	a, b := party("a", shared, 1), party("b", shared, 1)
	fromA, fromB, _ := exchanged(a, b)
	for name, err := range map[string]error{
		"the initiator's words again":          b.Respond(say(fromA), a.ID),
		"the initiator's words from another":   b.Respond(say(fromA), "m"),
		"the responder's words again":          a.Initiate(say(fromB), b.ID),
		"the initiator's words to itself":      a.Respond(say(fromA), b.ID),
		"the responder's words as initiator's": a.Respond(say(slices.Concat(fromB[:len(opening)+nonceBytes], fromB[len(opening)+nonceBytes+1:])), b.ID),
	} {
		if !errors.Is(err, ErrWrong) {
			t.Errorf("%s: %v, want ErrWrong", name, err)
		}
	}
}

// An initiator's own messages are reflected to it.
func TestReflection(t *testing.T) {
	a := party("a", shared, 1)
	x, y := net.Pipe()
	go func() {
		defer y.Close()
		var b [len("collabdict/secret/1\n") + nonceBytes]byte
		_, _ = io.ReadFull(y, b[:])
		_, _ = y.Write(b[:]) // its own nonce
		var s [statementBytes]byte
		_, _ = io.ReadFull(y, s[:])
		_, _ = y.Write(append([]byte{accepted}, s[:]...)) // its own proof
	}()
	if err := a.Initiate(x, "b"); !errors.Is(err, ErrWrong) {
		t.Errorf("got %v, want ErrWrong", err)
	}
}

// A process in the middle relays the messages of two members. Each sees the peer ID of the
// middle, since the connections prove it.
func TestSomebodyInTheMiddle(t *testing.T) {
	a, b := party("a", shared, 1), party("b", shared, 1)
	x, y := net.Pipe()
	done := make(chan error)
	go func() {
		err := b.Respond(y, "m")
		y.Close()
		done <- err
	}()
	if err := a.Initiate(x, "m"); !errors.Is(err, ErrRefused) {
		t.Errorf("at the initiator: %v, want ErrRefused", err)
	}
	if err := <-done; !errors.Is(err, ErrWrong) {
		t.Errorf("at the responder: %v, want ErrWrong", err)
	}
}

// An exchange that ends early proves nothing, and a wrong first byte ends it at once.
func TestTruncatedAndStrangeExchanges(t *testing.T) {
	a, b := party("a", shared, 1), party("b", shared, 1)
	fromA, fromB, _ := exchanged(a, b)
	for n := range fromA {
		if err := b.Respond(say(fromA[:n]), a.ID); err == nil || errors.Is(err, ErrWrong) {
			t.Errorf("%d bytes of the initiator: %v", n, err)
		}
	}
	for n := range fromB {
		if err := a.Initiate(say(fromB[:n]), b.ID); err == nil {
			t.Errorf("%d bytes of the responder prove something", n)
		}
	}
	for _, begin := range []string{"\x13/multistream/1.0.0\n", "collabdict/secret/2\n", "x"} {
		x, y := net.Pipe() // the pipe stays open to the end
		go func() { _, _ = y.Write([]byte(begin)) }()
		if err := b.Respond(x, a.ID); !errors.Is(err, ErrStrange) {
			t.Errorf("%q: %v, want ErrStrange", begin, err)
		}
		x.Close()
	}
}

// Nothing is read beyond the messages, however many bytes arrive.
func TestNothingIsReadBeyond(t *testing.T) {
	flood := slices.Concat(opening, make([]byte, 1<<20))
	s := say(flood)
	if err := party("b", shared, 1).Respond(s, "a"); !errors.Is(err, ErrWrong) {
		t.Errorf("got %v, want ErrWrong", err)
	}
	if read, want := len(flood)-s.Reader.(*bytes.Reader).Len(), len(opening)+nonceBytes+statementBytes; read != want {
		t.Errorf("%d bytes were read, want %d", read, want)
	}
}

// No bytes from a process without the secret prove anything to either end, or make it read or
// write more than an exchange needs.
func FuzzExchange(f *testing.F) {
	fromA, fromB, _ := exchanged(party("a", shared, 1), party("b", shared, 1))
	f.Add(fromA)
	f.Add(fromB)
	f.Add([]byte("\x13/multistream/1.0.0\n"))
	f.Add(slices.Concat(fromA, fromB))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := party("p", shared, 3)
		s := say(b)
		if err := p.Respond(s, "q"); err == nil {
			t.Error("the responder takes it for a proof")
		}
		if n := s.heard.Len(); n > len(opening)+nonceBytes+1 {
			t.Errorf("the responder has written %d bytes", n)
		}
		s = say(b)
		if err := p.Initiate(s, "q"); err == nil {
			t.Error("the initiator takes it for a proof")
		}
		if n := s.heard.Len(); n > len(opening)+nonceBytes+statementBytes {
			t.Errorf("the initiator has written %d bytes", n)
		}
	})
}
