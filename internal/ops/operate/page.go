package operate

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/ops/web"
	"github.com/collabdict/collabdict/internal/run/report"
)

// A Reader is who reads a page.
type Reader bool

// The readers of a page.
const (
	Others Reader = false // they are shown nothing that depends on rows but what [Status.Public] shows
	Owner  Reader = true  // the owner of the folder, who is shown everything
)

// ReaderOf returns who reads a page whose address is printed. The address has a secret, and who knows
// that can read the page. On a terminal, only who has started the process sees it: that is the owner.
// A log, such as that of a service, may be read by others.
func ReaderOf(terminal bool) Reader { return Reader(terminal) }

// Run is what the page of a run shows first; each later event has the same form, with only the rounds
// and events that are new.
type Run struct {
	Status *Status `json:"status"` // the present status, without fields that the reader may not see
	Owner  bool    `json:"owner"`  // whether it has the fields for the owner of the folder
	Doing  string  `json:"doing"`  // what the process does, and whom it waits for, in words
	// Healthy reports whether the process contributes, or prepares to.
	Healthy bool `json:"healthy"`
	// Left is the longest time for the remaining rounds; absent if unknown.
	Left    time.Duration `json:"left,omitempty"`
	Members []Member      `json:"members"` // in the order of their names
	Rounds  []Point       `json:"rounds"`  // in order; of many, some are left out
	Events  []Happening   `json:"events"`  // in order; of many, the last ones
	// Folder has the result of the run once that has ended; absent if nothing is kept.
	Folder string `json:"folder,omitempty"`
}

// Privacy is what the page shows of the privacy of a member.
type Privacy struct {
	// Shown lists what a run with this agreement shows the other members; absent if unknown.
	Shown []report.Shown `json:"shown,omitempty"`
	// Outside lists what can be seen outside of sums: by other members, and what tells others something
	// about rows.
	Outside    []Seen             `json:"outside"`
	Protection *report.Protection `json:"protection,omitempty"` // what hides the vectors in sums
	// Spent is the differential privacy spent by all runs and releases of the folder.
	Spent []Spent `json:"spent"`

	// The fields below may depend on rows, and are only for the owner of the folder.

	// Told are sentences about what the run has shown of this member, as inspect --privacy prints them.
	Told     []string `json:"told,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // with what to do
}

// Seen is something that can be seen outside of sums.
type Seen struct {
	Place string `json:"place"`           // where
	By    string `json:"by"`              // who sees it
	What  string `json:"what"`            // what is seen
	Tells string `json:"tells,omitempty"` // what that tells about rows; absent for nothing
}

// public returns what others than the owner of the folder may see.
func (p *Privacy) public() *Privacy {
	public := *p
	public.Told, public.Warnings = nil, nil
	return &public
}

// Learned is what the page shows of a member's model, which is for the owner of the folder.
type Learned struct {
	Kind        string   `json:"kind"`        // the model, such as ggm
	Participant string   `json:"participant"` // its owner
	About       string   `json:"about"`       // its origin, in words
	Columns     []string `json:"columns"`     // the columns trained on
	// Units are the units of columns, by name, if they were agreed.
	Units      map[string]string  `json:"units,omitempty"`
	Components []report.Component `json:"components,omitempty"` // the patterns, if it is a mixture
	// LeastWeight is the weight below which a component does not matter.
	LeastWeight float64 `json:"least_weight,omitempty"`
	// Threshold is the score above which a row is an anomaly; absent without one.
	Threshold float64         `json:"threshold,omitempty"`
	HeldOut   *report.HeldOut `json:"held_out,omitempty"` // figures on held-out rows, alone and together
	Verdict   string          `json:"verdict,omitempty"`  // whether together is better than alone, in words
	Warnings  []string        `json:"warnings,omitempty"` // given at the end of the training
}

// Page is what the page of a process shows. It is safe for concurrent use. Nobody reads a nil page.
type Page struct {
	reader Reader
	clock  Clock

	mu      sync.Mutex
	history *history
	status  *Status
	privacy *Privacy
	model   *Learned
	folder  string
	changed chan struct{} // closed at the next change
}

// A Clock tells the time to what serves a page.
type Clock struct {
	Now   func() time.Time                       // as time.Now does
	After func(d time.Duration) <-chan time.Time // as time.After does
}

// NewPage returns the page of a process for a reader.
func NewPage(of Reader, c Clock) *Page {
	return &Page{reader: of, clock: c, history: newHistory(), changed: make(chan struct{})}
}

// Next shows the next status of the process. The page keeps it.
func (p *Page) Next(s *Status) {
	p.change(func() {
		p.status = s
		p.history.next(s)
	})
}

// SetPrivacy shows what is known of the privacy of the member. If of does not know what the run shows,
// the page keeps what it had.
func (p *Page) SetPrivacy(of *Privacy) {
	p.change(func() {
		whole := *of
		if whole.Shown == nil && p.privacy != nil {
			whole.Shown = p.privacy.Shown
		}
		p.privacy = &whole
	})
}

// SetModel shows the model that was learned.
func (p *Page) SetModel(m *Learned) { p.change(func() { p.model = m }) }

// SetFolder names the folder that has the result of the run once that has ended.
func (p *Page) SetFolder(dir string) { p.change(func() { p.folder = dir }) }

func (p *Page) change(f func()) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// A content is what a page shows its reader.
type content struct {
	run     *Run // nil before the first status
	privacy *Privacy
	model   *Learned
	next    <-chan struct{} // closed at the next change
}

// since returns what the page shows, the run with the rounds and events after those of a reader.
func (p *Page) since(round, event int) content {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := content{run: p.runSince(round, event), privacy: p.privacy, next: p.changed}
	if p.reader == Owner {
		all.model = p.model
	}
	return all
}

func (p *Page) runSince(round, event int) *Run {
	if p.status == nil {
		return nil
	}
	s := p.status
	r := &Run{Status: s, Owner: bool(p.reader), Members: s.members(), Folder: p.folder}
	r.Healthy, r.Doing = s.Healthy()
	r.Left, _ = s.Left()
	r.Rounds, r.Events = p.history.since(round, event)
	if p.reader == Others {
		r.Status = s.Public()
		for i := range r.Rounds {
			r.Rounds[i].Objective, r.Rounds[i].Step, r.Rounds[i].Virtual = report.Figure{}, false, 0
		}
		r.Events = slices.DeleteFunc(r.Events, func(e Happening) bool { return e.Kind == Known })
	}
	return r
}

// of returns the part of what is known that a reader may see.
func (p *Privacy) of(r Reader) *Privacy {
	if r == Others {
		return p.public()
	}
	return p
}

// Handler serves /page/run, /page/privacy and /page/model, and the files of the page.
func (p *Page) Handler(files fs.FS) http.Handler {
	mux := http.NewServeMux()
	web.AddFiles(mux, files)
	mux.HandleFunc("GET /page/run", func(w http.ResponseWriter, r *http.Request) {
		if accept := r.Header.Get("Accept"); strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/event-stream") {
			if all := p.since(0, 0); all.run != nil {
				answerJSON(w, all.run)
			} else {
				web.Refuse(w, http.StatusNotFound, "the process has no status yet: ask again later")
			}
			return
		}
		p.stream(w, r)
	})
	mux.HandleFunc("GET /page/privacy", func(w http.ResponseWriter, _ *http.Request) {
		if of := p.since(0, 0).privacy; of != nil {
			answerJSON(w, of.of(p.reader))
		} else {
			web.Refuse(w, http.StatusNotFound, "what others can see is not known yet: ask again when the member joins the others")
		}
	})
	mux.HandleFunc("GET /page/model", func(w http.ResponseWriter, _ *http.Request) {
		m := p.since(0, 0).model
		switch {
		case p.reader == Others:
			web.Refuse(w, http.StatusForbidden, "the model depends on rows, so it is shown to the owner of the folder alone: start the process on a terminal, or open the folder of the finished run")
		case m == nil:
			web.Refuse(w, http.StatusNotFound, "there is no model yet: ask again when the run has ended")
		default:
			answerJSON(w, m)
		}
	})
	return mux
}

func answerJSON(w http.ResponseWriter, v any) {
	begin(w, "application/json", http.StatusOK)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
