package serve

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"github.com/collabdict/collabdict/internal/run/scoring"
)

const (
	// mostEvents is the number of past events that a new listener can ask for.
	mostEvents = 1000
	// mostListeners is the number of listeners at a time.
	mostListeners = 100
	// mostWaiting is the number of events that a listener may be behind.
	mostWaiting = 100
	// heartbeat is the time after which listeners get a sign of life.
	heartbeat = 15 * time.Second

	eventsPath = "/v1/events"
	scoresPath = "/v1/scores"
)

// EventBegan says that a source has an event.
type EventBegan struct{ Told }

// EventEnded says that an event of a source has ended.
type EventEnded struct{ Told }

// Told is an event of a source.
type Told struct {
	Status string        `json:"status" enum:"began,ended" doc:"began once the event has enough anomalies, ended once no more rows belong to it"`
	Source string        `json:"source" doc:"Name of the source"`
	Model  string        `json:"model" doc:"SHA-256 of the model's file"`
	Event  scoring.Event `json:"event"`
}

// Alive says that the connection still stands.
type Alive struct {
	At string `json:"at" doc:"Time of the server, in RFC 3339"`
}

// hub passes messages on to listeners. It is safe for concurrent use.
type hub struct {
	most      int // size of the past that a new listener can ask for
	mu        sync.Mutex
	past      []sized // the last ones, in the order of their numbers
	size      int     // of the past
	next      int     // number of the next message, from 1
	listeners map[chan sse.Message]bool
}

// sized is a message with its share of the past.
type sized struct {
	sse.Message
	size int
}

func newHub(most int) *hub { return &hub{most: most, next: 1, listeners: map[chan sse.Message]bool{}} }

// NewTold returns an event of a source that has begun, or ended.
func NewTold(source, model string, e scoring.Event, ended bool) Told {
	return Told{map[bool]string{false: "began", true: "ended"}[ended], source, model, e}
}

func (h *hub) publish(data any, size int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := sse.Message{ID: h.next, Data: data}
	h.next++
	h.past, h.size = append(h.past, sized{m, size}), h.size+size
	for h.size > h.most && len(h.past) > 1 {
		h.size -= h.past[0].size
		h.past = h.past[1:]
	}
	for l := range h.listeners {
		select {
		case l <- m:
		default: // it is too slow, and asks for what it misses when it comes back
			close(l)
			delete(h.listeners, l)
		}
	}
}

// listen returns the past messages after a number, and a channel of those to come, which is closed if its
// reader is too slow.
func (h *hub) listen(after int) (past []sse.Message, to chan sse.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if after >= h.next { // the number is of an earlier start of the server
		after = 0
	}
	for _, m := range h.past {
		if m.ID > after {
			past = append(past, m.Message)
		}
	}
	to = make(chan sse.Message, mostWaiting)
	h.listeners[to] = true
	return past, to
}

func (h *hub) leave(l chan sse.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

// tell sends a listener the messages after a number that it wants, until it leaves or is too slow.
func (s *Server) tell(ctx context.Context, h *hub, after int, send sse.Sender, wanted func(data any) bool) {
	past, live := h.listen(after)
	defer h.leave(live)
	alive := func() sse.Message { return sse.Message{Data: Alive{s.config.Now().UTC().Format(time.RFC3339)}} }
	if send(alive()) != nil {
		return
	}
	for _, m := range past {
		if wanted(m.Data) && send(m) != nil {
			return
		}
	}
	for {
		var m sse.Message
		open := true
		select {
		case <-ctx.Done():
			return
		case <-s.config.Done:
			return
		case <-s.config.After(heartbeat):
			m = alive()
		case m, open = <-live:
			if open && !wanted(m.Data) {
				continue
			}
		}
		if !open || send(m) != nil {
			return
		}
	}
}

type eventsInput struct {
	Last   int    `header:"Last-Event-ID" minimum:"0" doc:"Number of the last event that was received: those after it come first"`
	Source string `query:"source" maxLength:"200" doc:"Name of the only source to tell about"`
}

func (s *Server) addEvents(api huma.API) {
	sse.Register(api, huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: eventsPath, Summary: "Listen to events",
		Description: "Tells events as server-sent events: began once an event has enough anomalies, ended once no more rows belong to it.",
	}, map[string]any{"began": EventBegan{}, "ended": EventEnded{}, "alive": Alive{}}, func(ctx context.Context, in *eventsInput, send sse.Sender) {
		s.tell(ctx, s.events, in.Last, send, func(data any) bool {
			switch of := data.(type) {
			case EventBegan:
				return in.Source == "" || of.Source == in.Source
			case EventEnded:
				return in.Source == "" || of.Source == in.Source
			}
			return true
		})
	})
}
