package transport

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/multiformats/go-multiaddr"
)

func dialError(t *testing.T, causes map[string]string) error {
	t.Helper()
	e := &swarm.DialError{Peer: "p"}
	for at, cause := range causes {
		a, err := multiaddr.NewMultiaddr(at)
		if err != nil {
			t.Fatal(err)
		}
		e.DialErrors = append(e.DialErrors, swarm.TransportError{Address: a, Cause: errors.New(cause)})
	}
	return e
}

func TestFailedDialsHaveReasons(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want []Failure
	}{
		"no error":          {nil, nil},
		"the end of a wait": {context.Canceled, nil},
		"no address":        {&swarm.DialError{Cause: swarm.ErrNoAddresses}, []Failure{{"any address", "no known address, or none that can be dialled"}}},
		"another error":     {fs.ErrClosed, []Failure{{"any address", "file already closed"}}},
		"two addresses": {
			dialError(t, map[string]string{
				"/ip4/192.0.2.2/tcp/80": "dial tcp4 0.0.0.0:4001->192.0.2.2:80: connect: connection refused",
				"/ip4/192.0.2.1/tcp/80": "dial tcp4 0.0.0.0:4001->192.0.2.1:80: i/o timeout",
			}),
			[]Failure{{"/ip4/192.0.2.1/tcp/80", "i/o timeout"}, {"/ip4/192.0.2.2/tcp/80", "connection refused"}},
		},
		"without a port of this side": {
			dialError(t, map[string]string{"/ip4/192.0.2.2/tcp/80": "dial tcp4 192.0.2.2:80: connect: no route to host"}),
			[]Failure{{"/ip4/192.0.2.2/tcp/80", "no route to host"}},
		},
	} {
		if got := dialFailures(c.err); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// idle is a timeout as QUIC reports it.
type idle struct{}

func (idle) Error() string   { return "timeout: no recent network activity" }
func (idle) Timeout() bool   { return true }
func (idle) Temporary() bool { return false }

// Errors of different protocols about an answer that is late have one reason.
func TestLateAnswersHaveOneReason(t *testing.T) {
	a := multiaddr.StringCast("/ip4/192.0.2.2/tcp/80")
	for _, cause := range []error{context.DeadlineExceeded, os.ErrDeadlineExceeded, idle{}, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}} {
		got := dialFailures(&swarm.DialError{Peer: "p", DialErrors: []swarm.TransportError{{Address: a, Cause: cause}}})
		if want := []Failure{{a.String(), "no answer in time"}}; !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", cause, got, want)
		}
	}
}

// The log gives all addresses of a member in one line, and not before members have had time to
// start. A new reason gives another line, at growing intervals. After a connection all begins anew.
func TestFailedDialsAreLoggedOnce(t *testing.T) {
	var log strings.Builder
	f := &failures{log: slog.New(slog.NewTextHandler(&log, nil)), byPeer: map[peer.ID]*failing{}}
	refused := dialError(t, map[string]string{"/ip4/192.0.2.2/tcp/80": "connect: connection refused"})
	late := dialError(t, map[string]string{"/ip4/192.0.2.2/tcp/80": "i/o timeout", "/ip4/192.0.2.2/udp/80/quic-v1": "no answer"})
	other := dialError(t, map[string]string{"/ip4/192.0.2.2/tcp/80": "no route to host"})
	start := time.Unix(0, 0)
	for i, step := range []struct {
		at      time.Duration
		err     error
		reached bool
		lines   int
	}{
		{at: 0, err: refused, lines: 0},
		{at: failAfter - 1, err: refused, lines: 0},
		{at: failAfter, err: refused, lines: 1},
		{at: 2 * failAfter, err: refused, lines: 1},
		{at: 3 * failAfter, err: late, lines: 2},
		{at: 4 * failAfter, err: other, lines: 2},
		{at: 5 * failAfter, err: refused, lines: 2},
		{at: 6 * failAfter, err: late, lines: 2},
		{at: 7 * failAfter, err: other, lines: 3},
		{at: 8 * failAfter, reached: true, lines: 3},
		{at: 8 * failAfter, err: refused, lines: 3},
		{at: 9 * failAfter, err: refused, lines: 4},
	} {
		if step.reached {
			f.reached("p")
		} else {
			f.failed(start.Add(step.at), "p", "plant-b", step.err)
		}
		if got := strings.Count(log.String(), "\n"); got != step.lines {
			t.Fatalf("step %d: %d lines, want %d:\n%s", i, got, step.lines, log.String())
		}
	}
	for _, want := range []string{"name=plant-b", "/ip4/192.0.2.2/tcp/80: connection refused", "/ip4/192.0.2.2/tcp/80: i/o timeout; /ip4/192.0.2.2/udp/80/quic-v1: no answer"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, &log)
		}
	}
}
