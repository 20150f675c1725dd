package operate

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/ops/inventory"
	"github.com/collabdict/collabdict/internal/ops/web"
	"github.com/collabdict/collabdict/internal/run/report"
)

// Run is what the page of a run shows first; each later event has the same form, with only the rounds
// and events that are new.
type Run struct {
	Status *Status `json:"status"` // the present status
	Doing  string  `json:"doing"`  // what the process does, and whom it waits for, in words
	// Healthy reports whether the process contributes, or prepares to.
	Healthy bool `json:"healthy"`
	// Left is the longest time for the remaining rounds; absent if unknown.
	Left    time.Duration `json:"left,omitempty"`
	Members []Member      `json:"members"` // in the order of their names
	Rounds  []Point       `json:"rounds"`  // in order; of many, some are left out
	Events  []Happening   `json:"events"`  // in order; of many, the last ones
	// Folder has the result of the run once that has ended; absent if nothing is kept.
	Folder  string   `json:"folder,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"` // how the run has ended; absent before
	Port    string   `json:"port,omitempty"`    // where this process serves its status and metrics; absent if nowhere
	Log     string   `json:"log,omitempty"`     // the file with all warnings of the process; absent if none is kept
}

// Privacy is what the page shows of the privacy of a member.
type Privacy struct {
	Summary Summary `json:"summary"` // what leaves the member in the run, in short
	// Outside lists what can be seen outside of sums: by other members, and what tells others something
	// about rows.
	Outside    []Seen             `json:"outside"`
	Protection *report.Protection `json:"protection,omitempty"` // what hides the vectors in sums
	// Collusions are what numbers of other members recover together, up to all of them; absent if unknown.
	Collusions []report.Collusion `json:"collusions,omitempty"`
	// Spent is the differential privacy spent by all runs and releases of the folder.
	Spent []Spent `json:"spent"`
	// Told are sentences about what the run has shown of this member beside the summary, as inspect --privacy
	// prints them.
	Told []string `json:"told,omitempty"`
	// Warnings are those of the task and its result.
	Warnings []report.Warning `json:"warnings,omitempty"`
}

// Summary is what leaves a member in a run, and to whom, in short.
type Summary struct {
	// Least and Most are the smallest and the largest number of members in a sum, with this one; 0 if unknown.
	Least int      `json:"least"`
	Most  int      `json:"most"`           // as least
	Open  []string `json:"open,omitempty"` // what all other members see as this member's own
	Sums  []string `json:"sums,omitempty"` // what they see in sums over all members
	// Values reports whether a total has values of single rows.
	Values bool `json:"values,omitempty"`
	// Noise is the differential privacy of the run; absent if it has none.
	Noise []report.Spend `json:"noise,omitempty"`
	// Blur reports whether sums have noise that hides a row from the difference of two of them.
	Blur bool `json:"blur,omitempty"`
	// Simulated reports whether the run is a simulation, all of whose noise anybody can subtract.
	Simulated bool `json:"simulated,omitempty"`
	// Port lists what the status and the metrics tell whoever can reach their port, of rows.
	Port []string `json:"port,omitempty"`
	// Network lists what the network tells all members about rows.
	Network []Seen   `json:"network,omitempty"`
	Secret  []string `json:"secret,omitempty"` // files that stay in the folder, unless their owner gives them away
}

// Seen is something that can be seen outside of sums.
type Seen struct {
	Place string `json:"place"`           // where
	By    string `json:"by"`              // who sees it
	What  string `json:"what"`            // what is seen
	Tells string `json:"tells,omitempty"` // what that tells about rows; absent for nothing
	// Pass is who may have a file: anyone, members or nobody; absent for what is no file.
	Pass inventory.Pass `json:"pass,omitempty"`
}

// Learned is what the page shows of a member's model.
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

// Page is what the page of a process, or of a finished run, shows the owner of the folder. It has what
// depends on rows, so its address is printed at a terminal only, or for who opens the folder: others may
// read a log. It is safe for concurrent use. Nobody reads a nil page.
type Page struct {
	clock Clock

	mu      sync.Mutex
	history *history
	status  *Status
	privacy *Privacy
	model   *Learned
	folder  string
	port    string
	log     string // in the folder of the member, which is in folder
	outcome *Outcome
	changed chan struct{} // closed at the next change
}

// A Clock tells the time to what serves a page.
type Clock struct {
	Now   func() time.Time                       // as time.Now does
	After func(d time.Duration) <-chan time.Time // as time.After does
}

// NewPage returns an empty page.
func NewPage(c Clock) *Page {
	return &Page{clock: c, history: newHistory(), changed: make(chan struct{})}
}

// Next shows the next status of the process. The page keeps it.
func (p *Page) Next(s *Status) {
	p.change(func() {
		p.status = s
		p.history.next(s)
	})
}

// SetPrivacy shows what is known of the privacy of the member.
func (p *Page) SetPrivacy(of *Privacy) { p.change(func() { p.privacy = of }) }

// SetModel shows the model that was learned.
func (p *Page) SetModel(m *Learned) { p.change(func() { p.model = m }) }

// SetOutcome shows how the run has ended.
func (p *Page) SetOutcome(o *Outcome) { p.change(func() { p.outcome = o }) }

// SetFolder names the folder that has the result of the run once that has ended.
func (p *Page) SetFolder(dir string) { p.change(func() { p.folder = dir }) }

// SetPort shows where this process serves its status and metrics, empty for nowhere.
func (p *Page) SetPort(address string) { p.change(func() { p.port = address }) }

// SetLog names the file with all warnings of a member, in its folder in that of the result.
func (p *Page) SetLog(name string) { p.change(func() { p.log = name }) }

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
	return content{run: p.runSince(round, event), privacy: p.privacy, model: p.model, next: p.changed}
}

func (p *Page) runSince(round, event int) *Run {
	if p.status == nil {
		return nil
	}
	s := p.status
	r := &Run{Status: s, Members: s.members(), Folder: p.folder, Outcome: p.outcome, Port: p.port}
	if p.log != "" {
		r.Log = filepath.Join(p.folder, s.Name, p.log)
	}
	r.Healthy, r.Doing = s.Healthy()
	if s.Node != nil { // the page itself says for how long
		r.Doing = strings.TrimSuffix(r.Doing, ", "+longestWait(s.Node).Round(time.Second).String())
	}
	r.Left, _ = s.Left()
	for i := range r.Members {
		r.Members[i].Reason = ageless(r.Members[i].Reason)
	}
	r.Rounds, r.Events = p.history.since(round, event)
	return r
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
			answerJSON(w, of)
		} else {
			web.Refuse(w, http.StatusNotFound, "what others can see is not known yet: ask again when the member joins the others")
		}
	})
	mux.HandleFunc("GET /page/model", func(w http.ResponseWriter, _ *http.Request) {
		if m := p.since(0, 0).model; m != nil {
			answerJSON(w, m)
		} else {
			web.Refuse(w, http.StatusNotFound, "there is no model yet: ask again when the run has ended")
		}
	})
	return mux
}

func answerJSON(w http.ResponseWriter, v any) {
	begin(w, "application/json", http.StatusOK)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
