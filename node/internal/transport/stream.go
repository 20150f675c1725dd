package transport

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

const (
	dataSuffix  = "/data/1"
	openTimeout = 10 * time.Second
	bufferSize  = 64 << 10
)

func dataProtocol(consortium [32]byte) protocol.ID {
	return protocol.ID("/collabdict/" + hex.EncodeToString(consortium[:8]) + dataSuffix)
}

// streams is the data plane: one stream to each member that this one sends to, and one from
// each member that sends to this one.
type streams struct {
	host     host.Host
	protocol protocol.ID
	run      [32]byte
	peers    *directory
	deliver  func(from int, m consensus.Valid)
	usual    func() int // most bytes of a usual message
	mostBlob int        // most bytes of a blob
	large    turns
	traffic  *counter
	blame    *blame
	failures *failures
	log      *slog.Logger
	tasks    Tasks
}

// A lane is the connection to one member.
type lane struct {
	*outbox
	to       peer.ID
	done     chan struct{}      // closed when writeTo has returned
	stop     context.CancelFunc // ends writeTo at once
	dialling atomic.Bool        // whether redial is running
}

func newLane(to peer.ID) *lane {
	return &lane{outbox: newOutbox(), to: to, done: make(chan struct{})}
}

// writeTo sends the messages of a member's outbox until the outbox is closed and empty, or ctx
// has ended. It opens a broken stream anew and sends unfinished batches again, so a message may
// arrive twice.
func (s *streams) writeTo(ctx context.Context, l *lane) {
	defer close(l.done)
	var out *outStream
	defer func() {
		if out != nil {
			out.finish(ctx)
		}
	}()
	l.drain(ctx, func(ctx context.Context, batch []consensus.Message) (err error) {
		if out != nil && out.relayed && direct(s.host.Network(), l.to) {
			out.finish(ctx)
			out = nil
		}
		if out == nil {
			if out, err = s.open(ctx, l.to); err != nil {
				s.log.Debug("no stream to a member", "peer", l.to, "error", err)
				return err
			}
		}
		if err = out.write(batch); err != nil {
			s.log.Debug("a stream to a member broke", "peer", l.to, "error", err)
			out.abandon()
			out = nil
			return err
		}
		s.traffic.messagesOut.Add(uint64(len(batch)))
		return nil
	})
}

// outStream is a stream to a member.
type outStream struct {
	stream  network.Stream
	w       *bufio.Writer
	stop    func() bool
	relayed bool
}

func (s *streams) open(ctx context.Context, to peer.ID) (*outStream, error) {
	dial, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	s.clearBackoff(to)
	stream, err := s.host.NewStream(dial, to, s.protocol)
	if err != nil {
		return nil, err
	}
	out := &outStream{stream: stream, w: bufio.NewWriterSize(stream, bufferSize), relayed: relayed(stream.Conn().RemoteMultiaddr())}
	out.stop = context.AfterFunc(ctx, func() { stream.Reset() })
	if err := wire.WriteMessage(out.w, wire.MarshalOpening(s.run)); err != nil {
		out.abandon()
		return nil, err
	}
	return out, nil
}

func (o *outStream) write(batch []consensus.Message) error {
	for _, m := range batch {
		if err := wire.Write(o.w, m); err != nil {
			return err
		}
	}
	return o.w.Flush()
}

func (o *outStream) abandon() {
	o.stop()
	o.stream.Reset()
}

// finish closes the stream and waits until the member has read all of it. The member shows that
// by closing its end.
func (o *outStream) finish(ctx context.Context) {
	defer o.abandon()
	if ctx.Err() == nil && o.stream.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(o.stream, 1))
	}
}

// refusal reports whether an error is about the bytes read, not about the stream.
func refusal(err error) bool {
	return errors.As(err, new(*wire.LimitError)) || errors.As(err, new(*wire.FormatError)) || errors.As(err, new(*wire.VersionError)) || errors.Is(err, wire.ErrChecksum)
}

// accept reads a member's stream until it ends.
func (s *streams) accept(stream network.Stream) {
	id := stream.Conn().RemotePeer()
	err := s.read(stream, id)
	if err == nil || errors.Is(err, io.EOF) {
		stream.Close()
		return
	}
	s.log.Debug("a stream from a peer ended", "peer", id, "error", err)
	stream.Reset()
}

func (s *streams) read(stream network.Stream, id peer.ID) error {
	from, ok := s.peers.Load().ranks[id]
	if !ok || id == s.host.ID() {
		return errStranger
	}
	r := bufio.NewReaderSize(stream, bufferSize)
	b, err := wire.ReadMessage(r, wire.MaxText)
	var run [32]byte
	if err == nil {
		run, err = wire.UnmarshalOpening(b)
	}
	if err != nil {
		s.accuse(id, err)
		return err
	}
	if run != s.run {
		return fmt.Errorf("got a stream of run %x, want one of run %x", run[:4], s.run[:4])
	}
	for {
		m, err := s.next(r, stream)
		if blob, is := m.Message().Body.(*consensus.Blob); err == nil && is && len(blob.Data) > s.mostBlob {
			err = &wire.LimitError{Got: len(blob.Data), Limit: s.mostBlob}
		}
		if err != nil {
			s.accuse(id, err)
			return err
		}
		s.traffic.messagesIn.Add(1)
		s.deliver(from, m)
	}
}

// accuse logs a member for a message that cannot be read, or for keeping others waiting.
func (s *streams) accuse(id peer.ID, err error) {
	if refusal(err) || errors.Is(err, os.ErrDeadlineExceeded) {
		s.blame.on(id, err)
	}
}

// next reads a message. It reads a message that is larger than usual only while no other member
// sends one. That bounds the memory that all members together can use. Yet it lets through a
// vector whose length this member cannot know, for example if it has missed the first large
// sums. A peer that is too slow loses its turn, and its stream. If the message becomes usual in
// the meantime, it may take any time, since nobody waits for it.
func (s *streams) next(r *bufio.Reader, stream network.Stream) (consensus.Valid, error) {
	var current *turn
	end := func() error {
		if current == nil {
			return nil
		}
		current = nil
		s.large.pass()
		return stream.SetReadDeadline(time.Time{})
	}
	defer func() { _ = end() }()
	before := 0 // bytes of the message so far
	return wire.Read(r, s.peers.most(), func(size int) error {
		if size > wire.MaxPayload {
			return &wire.LimitError{Got: size, Limit: wire.MaxPayload}
		}
		if current == nil && size > s.usual() {
			current = s.large.take(before)
		}
		before = size
		if current == nil || size <= s.usual() {
			return end()
		}
		return stream.SetReadDeadline(current.end(size, s.large.wanted()))
	})
}
