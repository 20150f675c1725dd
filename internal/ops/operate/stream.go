package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/collabdict/collabdict/internal/ops/web"
)

const (
	// streamEvery is the shortest time between two events of a stream: twice a second is as often as
	// people read figures.
	streamEvery = 500 * time.Millisecond
	// aliveEvery is the time after which a stream without events has a sign of life.
	aliveEvery = 15 * time.Second
	// mostBehind is how long a reader may take to receive an event. A stream has no queue: the next
	// event has all that is new.
	mostBehind = 10 * time.Second
	// mostReaders is the number of requests that a page answers at a time.
	mostReaders = 32
)

// stream sends server-sent events: run, with the whole history, then news whenever that has changed;
// privacy and model whenever these are set, and at last end when the server ends.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	s := &stream{to: w, control: http.NewResponseController(w), now: p.clock.Now, name: "run"}
	if err := s.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	begin(w, "text/event-stream", http.StatusOK)
	for ended := r.Context().Done(); ; {
		all := p.since(s.round, s.event)
		if s.sendAll(all) != nil {
			return
		}
		select {
		case <-ended:
		case <-p.clock.After(streamEvery):
		}
		select {
		case <-ended:
			if s.sendAll(p.since(s.round, s.event)) == nil {
				_ = s.write("event: end\ndata: {}\n\n") // the client may be gone
			}
			return
		case <-all.next:
		case <-p.clock.After(aliveEvery):
			if s.write(": alive\n\n") != nil {
				return
			}
		}
	}
}

// A stream is what one reader of a page has received.
type stream struct {
	to           http.ResponseWriter
	control      *http.ResponseController
	now          func() time.Time
	name         string // of the next event
	round, event int    // the last ones that were sent
	sent         []byte // what is steady in the last one
	privacy      *Privacy
	model        *Learned
}

// sendAll sends what is new.
func (s *stream) sendAll(all content) error {
	if err := s.send(all.run); err != nil {
		return err
	}
	if all.privacy != s.privacy {
		s.privacy = all.privacy
		if err := s.tell("privacy", all.privacy); err != nil {
			return err
		}
	}
	if all.model != s.model {
		s.model = all.model
		return s.tell("model", all.model)
	}
	return nil
}

// send sends a run if it has something new.
func (s *stream) send(r *Run) error {
	if r == nil {
		return nil
	}
	steady, err := json.Marshal(r.steady())
	if err != nil {
		return err
	}
	if bytes.Equal(steady, s.sent) && len(r.Rounds)+len(r.Events) == 0 {
		return nil
	}
	if err := s.tell(s.name, r); err != nil {
		return err
	}
	s.name, s.sent = "news", steady
	if n := len(r.Rounds); n > 0 {
		s.round = r.Rounds[n-1].Round
	}
	if n := len(r.Events); n > 0 {
		s.event = r.Events[n-1].Number
	}
	return nil
}

// steady returns the run without what the reader has, and without figures that change when nothing
// happens.
func (r *Run) steady() *Run {
	steady, status := *r, *r.Status
	steady.Status, steady.Doing, steady.Rounds, steady.Events = &status, "", nil, nil
	status.At, status.Process = time.Time{}, Process{}
	if status.Node != nil {
		n := *status.Node
		n.Waiting = nil // members have since when they are waited for
		status.Node = &n
	}
	return &steady
}

// tell sends an event.
func (s *stream) tell(name string, of any) error {
	data, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, data))
}

// write writes text at once. The reader must receive it in time.
func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(s.now().Add(mostBehind)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.to.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

// ServePage serves a page with its files on a free port of this machine, until the context ends or
// stop is called. It returns an address to print: the browser that opens it first can read the page.
// stop returns when all requests have ended.
func ServePage(ctx context.Context, p *Page, files fs.FS) (address string, stop func(), err error) {
	const host = "127.0.0.1"
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", nil, err
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	guard := web.NewGuard("", port, web.Hosts(host), nil) // without a token: programs ask the socket in the folder
	address = guard.Address("http://" + l.Addr().String())
	ctx, cancel := context.WithCancel(ctx)
	s := web.NewServer(guard.Wrap(web.Limit(mostReaders, p.Handler(files))))
	s.BaseContext = func(net.Listener) context.Context { return ctx }
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = s.Serve(l)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-ctx.Done()
		last, done := context.WithTimeout(context.WithoutCancel(ctx), mostBehind)
		defer done()
		if s.Shutdown(last) != nil {
			_ = s.Close()
		}
		<-closed
	}()
	return address, func() { cancel(); <-ended }, nil
}
