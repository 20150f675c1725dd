package secret

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Two processes prove to each other that they know the secret, on a stream of a connection that
// has proven their peer IDs. The initiator is the process that has dialled:
//
//	initiator                          responder
//	opening, its nonce         ──>
//	                           <──     opening, its nonce
//	its agreement, its proof   ──>
//	                           <──     accepted, its agreement, its proof
//	                                   or refused, and nothing more
//
// A proof is an HMAC-SHA256, keyed with the secret, over the role, both peer IDs, both nonces
// and the agreements stated so far. So a proof is valid for one exchange, in one direction,
// between these two peers. If it is repeated, reflected or relayed by somebody in the middle,
// it is wrong.
//
// The responder sends no proof before it has received one. So a process that dials members
// receives nothing against which it could test guesses of the secret. A process that is dialled
// does receive a proof, since one side has to be first. Against guesses from that proof, the
// secret has at least 128 bits.
//
// Different agreements are no reason to refuse. The two processes then compare field by field,
// and report the field that differs (package rendezvous).
//
// All messages have fixed lengths, and nothing is read beyond them.

var opening = []byte("collabdict/secret/1\n")

const (
	nonceBytes = 32
	proofBytes = sha256.Size
)

// The responder's verdict on the initiator's proof.
const (
	refused  = 0
	accepted = 1
)

// Errors of an exchange, besides those of its stream.
var (
	// ErrStrange reports a peer that does not start an exchange.
	ErrStrange = errors.New("it does not use a secret, or is another program")
	// ErrWrong reports a peer whose proof is wrong.
	ErrWrong = errors.New("its proof of the secret is wrong: compare the secret files of both")
	// ErrRefused reports a peer that has found this node's proof wrong.
	ErrRefused = errors.New("it finds this node's proof of the secret wrong: compare the secret files of both")
)

// A Party is one end of an exchange.
type Party struct {
	Secret    Secret
	ID        peer.ID
	Agreement [32]byte // a digest
}

// A statement is a party's agreement and proof.
type statement struct {
	agreement [32]byte
	proof     [proofBytes]byte
}

const statementBytes = 32 + proofBytes

// An exchange is the data that both parties have after the nonces.
type exchange struct {
	secret               Secret
	initiator, responder peer.ID
	nonces               [2][nonceBytes]byte // the initiator's first
}

// proof returns the proof for a role and the agreements stated so far.
func (x *exchange) proof(role string, agreements ...[32]byte) [proofBytes]byte {
	h := hmac.New(sha256.New, x.secret)
	for _, text := range []string{"collabdict/secret/1/" + role, string(x.initiator), string(x.responder)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	for _, n := range x.nonces {
		h.Write(n[:])
	}
	for _, a := range agreements {
		h.Write(a[:])
	}
	return [proofBytes]byte(h.Sum(nil))
}

// Initiate proves the secret to the peer that was dialled. It returns nil if the peer has
// proven it as well.
func (p Party) Initiate(s io.ReadWriter, responder peer.ID) error {
	x := exchange{secret: p.Secret, initiator: p.ID, responder: responder}
	var err error
	if x.nonces[0], err = open(s); err != nil {
		return err
	}
	if x.nonces[1], err = readOpening(s); err != nil {
		return err
	}
	own := statement{p.Agreement, x.proof("initiator", p.Agreement)}
	if err := own.write(s); err != nil {
		return err
	}
	var verdict [1]byte
	if _, err := io.ReadFull(s, verdict[:]); err != nil {
		return err
	}
	if verdict[0] != accepted {
		return ErrRefused
	}
	theirs, err := readStatement(s)
	if err != nil {
		return err
	}
	if want := x.proof("responder", p.Agreement, theirs.agreement); !hmac.Equal(theirs.proof[:], want[:]) {
		return ErrWrong
	}
	return nil
}

// Respond is the other end of Initiate, at the peer that was dialled.
func (p Party) Respond(s io.ReadWriter, initiator peer.ID) error {
	x := exchange{secret: p.Secret, initiator: initiator, responder: p.ID}
	var err error
	if x.nonces[0], err = readOpening(s); err != nil {
		return err
	}
	if x.nonces[1], err = open(s); err != nil {
		return err
	}
	theirs, err := readStatement(s)
	if err != nil {
		return err
	}
	if want := x.proof("initiator", theirs.agreement); !hmac.Equal(theirs.proof[:], want[:]) {
		_, err := s.Write([]byte{refused})
		return errors.Join(ErrWrong, err)
	}
	if _, err := s.Write([]byte{accepted}); err != nil {
		return err
	}
	return statement{p.Agreement, x.proof("responder", theirs.agreement, p.Agreement)}.write(s)
}

// open begins an exchange with a fresh nonce.
func open(w io.Writer) (nonce [nonceBytes]byte, err error) {
	if _, err := rand.Read(nonce[:]); err != nil {
		return nonce, err
	}
	_, err = w.Write(slices.Concat(opening, nonce[:]))
	return nonce, err
}

// readOpening reads the opening and the nonce. It returns at the first wrong byte, without
// waiting for the rest.
func readOpening(r io.Reader) (nonce [nonceBytes]byte, err error) {
	var b [nonceBytes]byte
	for rest := opening; len(rest) > 0; {
		n, err := r.Read(b[:min(len(rest), len(b))])
		if !bytes.HasPrefix(rest, b[:n]) {
			return nonce, ErrStrange
		}
		if rest = rest[n:]; err != nil && len(rest) > 0 {
			return nonce, err
		}
	}
	_, err = io.ReadFull(r, nonce[:])
	return nonce, err
}

func (s statement) write(w io.Writer) error {
	_, err := w.Write(append(s.agreement[:], s.proof[:]...))
	return err
}

func readStatement(r io.Reader) (s statement, err error) {
	var b [statementBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return s, err
	}
	copy(s.agreement[:], b[:])
	copy(s.proof[:], b[len(s.agreement):])
	return s, nil
}
