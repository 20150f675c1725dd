package transport

import (
	"bufio"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// megabit is what a link of 1 Mbit/s carries, in bytes per second, without headers.
const megabit = 1e6 / 8 * 0.9

// A pipe is a stream from a peer without a network.
type pipe struct {
	network.Stream
	conn net.Conn
}

func (p pipe) Read(b []byte) (int, error)            { return p.conn.Read(b) }
func (p pipe) SetReadDeadline(until time.Time) error { return p.conn.SetReadDeadline(until) }

// A link passes on bytes at a rate.
type link struct {
	net.Conn
	rate float64 // bytes per second
}

func takes(bytes int, rate float64) time.Duration {
	return time.Duration(float64(bytes) / rate * float64(time.Second))
}

func (l link) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		var sent int
		sent, err = l.Conn.Write(b[:min(len(b), 32<<10)])
		n, b = n+sent, b[sent:]
		<-time.After(takes(sent, l.rate))
	}
	return n, err
}

// An arrival says when and how the reading of a message ended.
type arrival struct {
	after time.Duration
	err   error
}

// arrive sends a message over a link, and reads it.
func arrive(s *streams, bytes int, rate float64) <-chan arrival {
	out, began := make(chan arrival, 1), time.Now()
	from, to := net.Pipe()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		w := bufio.NewWriterSize(link{from, rate}, bufferSize)
		_ = wire.Write(w, consensus.Message{Slot: 1, Body: &consensus.Step{Words: make([]uint64, bytes/8)}})
		_ = w.Flush()
	}()
	go func() {
		_, err := s.next(bufio.NewReaderSize(to, bufferSize), pipe{conn: to})
		got := arrival{time.Since(began), err}
		from.Close()
		to.Close()
		<-sent
		out <- got
	}()
	return out
}

// reading returns the data plane of a member of two, to which messages of more than the given
// number of bytes are large.
func reading(usual *atomic.Int64) *streams {
	s := &streams{peers: &directory{}, usual: func() int { return int(usual.Load()) }, large: newTurns()}
	s.peers.Store(&peers{lanes: make([]*lane, 2)})
	return s
}

// A peer that is too slow makes the large messages of others wait for seconds.
func TestASlowPeerLosesItsTurn(t *testing.T) {
	for _, c := range []struct {
		name string
		rate float64       // of the slow peer
		most time.Duration // of its turn
	}{
		{"hardly anything", 1 << 10, 60 * time.Second},
		{"a frame in 50 seconds", wire.Segment / 50, 60 * time.Second},
		{"the least rate", leastRate, turnMost + 20*time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var usual atomic.Int64
			usual.Store(64 << 10)
			s := reading(&usual)
			slow := arrive(s, 64<<20, c.rate)
			synctest.Wait()
			honest := arrive(s, 8<<20, megabit)
			lost, got := <-slow, <-honest
			if !errors.Is(lost.err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the slow peer: got %v after %v, want a deadline", c.name, lost.err, lost.after)
			}
			if alone := takes(8<<20, megabit); got.err != nil || got.after > alone+c.most {
				t.Errorf("%s: the honest peer: got %v after %v, want its message after at most %v", c.name, got.err, got.after, alone+c.most)
			}
		})
	}
}

// Honest peers on slow links are read, one after the other.
func TestSlowLinksAreReadInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var usual atomic.Int64
		usual.Store(64 << 10)
		s := reading(&usual)
		var all []<-chan arrival
		for range 4 {
			all = append(all, arrive(s, 8<<20, megabit))
		}
		for _, a := range all {
			if got := <-a; got.err != nil {
				t.Errorf("got %v after %v, want a message", got.err, got.after)
			}
		}
		if got := <-arrive(s, 64<<20, megabit); got.err != nil { // nobody waits
			t.Errorf("a long message: got %v after %v", got.err, got.after)
		}
	})
}

// Once a member knows the length of a vector, it waits for slow peers, and they do not keep
// others waiting.
func TestUsualMessagesNeedNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var usual atomic.Int64
		usual.Store(64 << 10)
		s := reading(&usual)
		const rate = leastRate * 0.8
		first := arrive(s, 8<<20, rate)
		second := arrive(s, 8<<20, rate)
		<-time.After(15 * time.Second)
		usual.Store(9 << 20)
		alone := takes(8<<20, rate)
		for _, a := range []<-chan arrival{first, second} {
			if got := <-a; got.err != nil || got.after > alone+40*time.Second {
				t.Errorf("got %v after %v, want a message after at most %v", got.err, got.after, alone+40*time.Second)
			}
		}
	})
}
