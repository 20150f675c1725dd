package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// command starts the program in the folder, as at a terminal if its page is for that alone, and waits until
// it prints the address of its page.
func command(t *testing.T, terminal bool, args ...string) *server {
	t.Helper()
	name := filepath.Join(folder, "collabdict")
	s := &server{cmd: exec.Command(name, args...)}
	if terminal {
		if _, err := exec.LookPath("script"); err != nil {
			t.Skip("want script of util-linux, which gives a program a terminal")
		}
		s.cmd = exec.Command("script", "-qefc", name+" "+strings.Join(args, " "), "/dev/null")
	}
	s.cmd.Dir = folder
	said, w := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = w, w
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait()
	})
	lines := bufio.NewScanner(said)
	for s.page == "" {
		if !lines.Scan() {
			t.Fatal("the program ended")
		}
		if m := regexp.MustCompile(`page at ((http://\S+)/\?ticket=\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			s.page, s.origin = m[1], m[2]
		}
	}
	go io.Copy(io.Discard, said)
	return s
}

func (p *tab) view(name string) {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void]("location.hash = '#" + name + "'"))
	p.until(fmt.Sprintf("!document.getElementById('%s-title').closest('section').hidden", name))
}

// A finished run is shown in all views, by keyboard, light and dark.
func TestAFinishedRun(t *testing.T) {
	p := open(t, command(t, false, "view", "o"))
	p.until("document.querySelector('.ring') && document.querySelector('.u-wrap')")
	p.withAxe()
	p.accessible("run-finished")
	p.run(chromedp.Focus(chromedp.CSS("#run-title")))
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('.listed > summary').focus()"))
	p.press(kb.Enter)
	p.until("document.querySelectorAll('.listed tbody tr').length === 10")
	p.accessible("run-table")
	p.view("privacy")
	p.until("document.querySelector('#privacy-title').closest('section').querySelector('table')")
	p.accessible("privacy-finished")
	p.view("model")
	p.until("document.querySelector('#pattern')")
	p.accessible("model-finished")
}

// A page in one file shows a run without a server, and asks nobody.
func TestAPageInOneFile(t *testing.T) {
	for name, of := range map[string]string{"whole": "o/plant-b", "alone": "alone.npz"} {
		text, err := os.ReadFile(filepath.Join(folder, "o", "plant-a", "model.npz"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "alone.npz"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		inspect := exec.Command("./collabdict", "inspect", of, "--html", name+".html")
		inspect.Dir = folder
		if out, err := inspect.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p := open(t, &server{page: "file://" + filepath.Join(folder, name+".html"), origin: "file://"})
		if name == "whole" {
			p.until("document.querySelectorAll('.member').length === 3 && document.querySelector('.u-wrap')")
		} else {
			p.until("document.body.innerText.includes('has no run')")
		}
		p.picture("file-" + name)
		p.view("privacy")
		p.until("document.body.innerText.includes('Protection of sums')")
		p.view("model")
		p.until("document.querySelector('#pattern')")
	}
}

// A made-up run is a stream of events that a test sends, beside the files of the page.
type madeUp struct {
	*server
	events chan string
}

func serveMadeUp(t *testing.T) *madeUp {
	t.Helper()
	m := &madeUp{events: make(chan string, 100)}
	files := http.FileServer(http.Dir("../dist/node"))
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page/run" {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case <-ended:
				return
			case <-r.Context().Done():
				return
			case e := <-m.events:
				fmt.Fprint(w, e)
				_ = http.NewResponseController(w).Flush()
			}
		}
	}))
	t.Cleanup(func() { close(ended); s.CloseClientConnections(); s.Close() })
	m.server = &server{page: s.URL + "/", origin: s.URL}
	return m
}

func (m *madeUp) send(t *testing.T, name string, of any) {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	m.events <- fmt.Sprintf("event: %s\ndata: %s\n\n", name, text)
}

// object is an object of JSON.
type object map[string]any

// consortium returns a run of n members in round, some of them lost, away or waited for.
func consortium(n, round int, at time.Time) object {
	var members, edges []object
	for i := range n {
		m := object{"name": fmt.Sprintf("member-%03d", i), "state": "summed", "peer": fmt.Sprintf("12D3KooW%08d", i)}
		switch {
		case i == 0:
			m["own"] = true
		case i == 1:
			m["waited"] = at.Add(-5 * time.Second).Format(time.RFC3339)
		case i == 2:
			m["state"], m["reason"] = "lost", "silent"
		case i == 3:
			m["via"] = "member-001"
		case i == 4:
			m["state"], m["reason"] = "out", "it was not in the last sum"
		case i == 5:
			m["state"] = "missing"
		case i == 6:
			m["state"], m["reason"] = "here", ""
		}
		members = append(members, m)
		for d := 1; d <= min(4, (n-1)/2); d++ {
			edges = append(edges, object{"a": m["name"], "b": fmt.Sprintf("member-%03d", (i+d*d)%n)})
		}
	}
	return object{
		"status": object{
			"name": "member-000", "model": "ggm", "phase": "running", "at": at, "began": at.Add(-time.Minute), "run": strings.Repeat("0f", 32), "round": round, "rounds": 100,
			"warned": []object{
				{"at": at.Add(-9 * time.Second), "text": "member-006 is lost (nothing heard)", "kind": "absent", "members": []string{"member-006"}},
				{"at": at.Add(-2 * time.Second), "text": "member-006 is back", "kind": "returned", "members": []string{"member-006"}},
				{"at": at, "text": "member-002 is lost (nothing heard)", "kind": "absent", "members": []string{"member-002"}},
			}, "warnings": 12,
			"known": []object{{"at": at, "text": "privacy: N, mean and covariance of member-002 are now exactly known to all members: the sums of rounds 9 and 10 differ by member-002 alone", "kind": "known", "members": []string{"member-002"}}},
			"node":  object{"edges": edges, "last_took": 120_000_000, "traffic": object{"bytes_sent": 12_345_678, "messages_sent": 4321, "bytes_received": 12_000_000, "messages_received": 4300}},
		},
		"doing": "round 12: waiting for member-001", "healthy": true, "left": 95_000_000_000, "members": members, "folder": "o",
		"rounds": []object{}, "events": []object{{"number": 1, "at": at.Add(-time.Second), "round": 11, "kind": "left", "member": "member-002", "text": "without member-002 from now on: nothing heard"}},
	}
}

// withRounds adds rounds, whose sums had the members that are in the sums.
func withRounds(run object, from, to int) object {
	var rounds []object
	summed := 0
	for _, m := range run["members"].([]object) {
		if m["state"] == "summed" {
			summed++
		}
	}
	for r := from; r <= to; r++ {
		rounds = append(rounds, object{"round": r, "at": time.Unix(1_800_000_000+int64(r), 0).UTC(), "objective": -3 - 10*math.Exp(-float64(r)/8), "members": summed, "error": 1e-9 * float64(r), "bytes_sent": 1_000_000 * r})
	}
	run["rounds"] = rounds
	return run
}

// Runs of few and of many members can be read, whatever their members' states are.
func TestRunsOfFewAndOfManyMembers(t *testing.T) {
	for _, n := range []int{3, 14, 200} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			m := serveMadeUp(t)
			p := open(t, m.server)
			if n == 3 {
				p.withAxe()
				p.until("document.querySelector('#run-title').closest('section').innerText.includes('Loading')")
				p.accessible("run-empty")
				p.until("document.querySelector('#run-title').closest('section').innerText.includes('Nothing has come yet')")
			}
			at := time.Now().UTC()
			m.send(t, "run", withRounds(consortium(n, 12, at), 1, 12))
			p.until("document.querySelector('.ring') && document.querySelectorAll('.u-wrap').length === 4")
			if got := get[int](p, "document.querySelectorAll('.member').length"); got != n {
				t.Errorf("got %d members", got)
			}
			if got := get[int](p, "document.querySelectorAll('.member text').length"); (got == 0) != (n > 40) {
				t.Errorf("%d members: got %d labels", n, got)
			}
			if got := get[int](p, "document.querySelectorAll('[aria-label=\"States of members\"] tbody tr').length"); got != n {
				t.Errorf("got %d rows", got)
			}
			missed := get[string](p, "document.querySelector('.absent').textContent")
			for _, want := range map[int][]string{3: {"member-001", "member-002"}, 14: {"member-001", "member-002", "member-004", "member-005"}}[n] {
				if !strings.Contains(missed, want) {
					t.Errorf("got %q, want %s", missed, want)
				}
			}
			if lines := get[int](p, "[...document.querySelectorAll('.ring .exchange')].filter((l) => document.querySelectorAll('.member:not(.summed, .here, .waited)').values().some((m) => { const at = m.getAttribute('transform').match(/[-\\d.]+/g); return (l.getAttribute('x1') === at[0] && l.getAttribute('y1') === at[1]) || (l.getAttribute('x2') === at[0] && l.getAttribute('y2') === at[1]) })).length"); lines > 0 {
				t.Errorf("%d lines join members that are not there", lines)
			}
			heading := get[string](p, "[...document.querySelectorAll('h2')].find((h) => h.textContent.startsWith('Warnings')).textContent")
			if open := get[int](p, "document.querySelectorAll('.warned > ul.warnings > .warning').length"); heading != fmt.Sprintf("Warnings (%d)", open) {
				t.Errorf("got %q over %d warnings", heading, open)
			}
			if n > 3 {
				p.withAxe()
				if solved := get[int](p, "document.querySelectorAll('.warned details .warning').length"); solved != 2 {
					t.Errorf("got %d solved warnings", solved)
				}
			}
			if n == 200 {
				p.run(chromedp.Focus(chromedp.CSS("#find")))
				p.press("0", "0", "2")
				p.until("document.querySelectorAll('[aria-label=\"States of members\"] tbody tr').length === 1 && document.querySelector('#status').textContent.includes('1 of 200')")
				p.press(kb.Backspace, kb.Backspace, kb.Backspace)
			}
			p.accessible(fmt.Sprintf("run-%d", n))
		})
	}
}

// The page announces in words what happens, and says when its process has ended.
func TestChangesAreAnnounced(t *testing.T) {
	m := serveMadeUp(t)
	p := open(t, m.server)
	at := time.Now().UTC()
	calm := consortium(3, 12, at)
	for _, of := range calm["members"].([]object) {
		delete(of, "waited")
		of["state"] = "summed"
	}
	m.send(t, "run", withRounds(calm, 1, 12))
	p.until("document.querySelector('.ring')")
	if get[bool](p, "!document.querySelector('.absent').hidden") || get[string](p, "document.querySelector('#status').textContent") != "" {
		t.Error("a calm run has something to tell")
	}
	silent := withRounds(consortium(3, 13, at.Add(time.Second)), 13, 13) // no further news of the wait comes
	silent["members"].([]object)[1]["waited"] = time.Now().UTC().Format(time.RFC3339)
	m.send(t, "news", silent)
	p.until("document.querySelector('#status').textContent.includes('member-001 has been silent since')")
	lost := consortium(3, 13, at.Add(2*time.Second))
	lost["events"] = []object{{"number": 2, "at": at, "round": 13, "kind": "left", "member": "member-002", "text": "continuing without member-002 (silent)"}}
	m.send(t, "news", lost)
	p.until("document.querySelector('#status').textContent.includes('continuing without member-002')")
	p.until("document.querySelector('[aria-label=Events] tbody tr').innerText.includes('member-002')")
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('.listed > summary').click()"))
	p.until("document.querySelectorAll('.listed tbody tr').length === 13")
	p.view("privacy")
	p.until("document.body.innerText.includes('not known yet')")
	p.view("model")
	p.until("document.body.innerText.includes('There is no model yet')")
	m.send(t, "end", object{})
	p.until("document.body.innerText.includes('without a model')")
	p.view("run")
	p.until("document.querySelector('.notice pre').textContent === 'collabdict view o'")
	p.withAxe()
	p.accessible("run-over")
}

// A run that has ended says how, and what to do next.
func TestHowARunHasEnded(t *testing.T) {
	for name, c := range map[string]struct {
		of   object
		want []string
	}{
		"planned":  {object{"ended": "planned", "members": 14, "all": 14, "rounds": 12, "converged": true, "folder": "o/member 000"}, []string{"all 14 members", "12 rounds", "collabdict score 'o/member 000' FILE"}},
		"left-out": {object{"ended": "planned", "members": 13, "all": 14, "rounds": 12, "why": "catching up", "folder": "o", "last_gain": 0.04}, []string{"13 of 14 members", "catching up", "4 %", "--rounds"}},
		"settled":  {object{"ended": "planned", "members": 14, "all": 14, "rounds": 12, "folder": "o", "last_gain": 0.0002, "settled": true}, []string{"0.02 %", "would change little"}},
		"stopped":  {object{"ended": "stopped", "rounds": 3, "folder": "o"}, []string{"stopped", "3 rounds", "is saved"}},
		"failed":   {object{"ended": "failed", "rounds": 0, "why": "plant-b: <b>no space left on device</b>"}, []string{"failed: plant-b: <b>no space left"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := serveMadeUp(t)
			p := open(t, m.server)
			run := withRounds(consortium(14, 12, time.Now().UTC()), 1, 12)
			run["outcome"] = c.of
			m.send(t, "run", run)
			p.until("document.querySelector('.outcome')?.hidden === false")
			text := get[string](p, "document.querySelector('.outcome').textContent")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("got %q, want %q", text, want)
				}
			}
			if facts := get[string](p, "document.querySelector('dl').textContent + document.querySelector('.absent').textContent + [...document.querySelectorAll('.warned')].map((w) => w.textContent)"); strings.Contains(facts, "finish") || strings.Contains(facts, "waited for") || strings.Contains(facts, "go on") {
				t.Errorf("a run that has ended waits: %q", facts)
			}
			p.withAxe()
			p.accessible("run-" + name)
		})
	}
}

// The view of privacy begins with what leaves the member, and tells whether noise limits what that reveals.
func TestPrivacyWithAndWithoutNoise(t *testing.T) {
	for name, c := range map[string]struct {
		options         []string
		want, wantNever string
	}{
		"without": {[]string{"--components", "2"}, "it is not limited by differential privacy, and its noise hides nothing", "hidden by noise"},
		"with":    {[]string{"--components", "2", "--epsilon", "5", "--standardise", "none", "--clip", "3"}, "This is a simulation, whose noise hides nothing", "has differential privacy"},
		"open":    {[]string{"--components", "2", "--protect", "none"}, "it is not hidden", "Your own part of a sum: it is hidden"},
		"values":  {[]string{"--model", "bvae"}, "Values of single rows", "no message has one"},
		"two":     {[]string{"--components", "2", "--protect", "none"}, "With two members, the other one is enough", "Your own part of a sum: it is hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			members := 3
			if name == "two" {
				members = 2
			}
			out := "privacy-" + name
			sim := exec.Command("./collabdict", append([]string{"sim", "--generate", fmt.Sprintf("participants=%d,rows=300,columns=5,patterns=2", members), "--rounds", "10", "--out", out}, c.options...)...)
			sim.Dir = folder
			if said, err := sim.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			p := open(t, command(t, false, "view", out))
			p.view("privacy")
			p.until("document.querySelector('.short')")
			text := get[string](p, "document.querySelector('#privacy-title').closest('section').textContent")
			if !strings.Contains(text, c.want) || strings.Contains(text, c.wantNever) {
				t.Errorf("got %q, want %q without %q", text, c.want, c.wantNever)
			}
			p.withAxe()
			p.accessible(out)
		})
	}
}

// Warnings about privacy say whom they concern, how serious they are, and what to do.
func TestWarningsAboutPrivacy(t *testing.T) {
	m := serveMadeUp(t)
	p := open(t, m.server)
	m.send(t, "run", withRounds(consortium(14, 12, time.Now().UTC()), 1, 12))
	m.send(t, "privacy", object{
		"summary":    object{"least": 13, "most": 14, "open": []string{"the power of two above the number of its rows"}, "sums": []string{"the number of all rows"}, "secret": []string{"local.npz"}},
		"protection": object{"mode": "chunks", "colluders": 4, "breach_predicted": 0.25}, "collusions": []object{{"others": 1, "breach": 0}, {"others": 4, "breach": 0.25}, {"others": 13, "breach": 1}}, "spent": []object{{"by": "release", "of": "all releases", "epsilon": 2, "delta": 1e-5}}, "outside": []object{},
		"warnings": []object{
			{"text": "privacy: before the first round, all members learn about the rows of all: x", "kind": "learned"},
			{"text": "privacy: N, mean and covariance of member-002 are now exactly known to all members: the sums of rounds 9 and 10 differ by member-002 alone", "kind": "known", "members": []string{"member-002"}},
			{"text": "privacy: the contribution of member-000 is now known to all members, up to the others' changes meanwhile", "kind": "estimated", "members": []string{"member-000"}},
			{"text": "no model of your own rows alone"},
		},
	})
	p.view("privacy")
	p.until("document.querySelectorAll('#privacy-title ~ .content .warning').length === 3") // each once, and those of privacy alone
	got := get[[]string](p, "[...document.querySelectorAll('#privacy-title ~ .content .warning')].map((w) => w.className + ' ' + w.textContent)")
	for i, want := range [][]string{{"high", "concerns you"}, {"high", "member-002"}, {"low", "all members"}} {
		for _, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("got %q, want %q", got[i], w)
			}
		}
	}
	if short := get[string](p, "document.querySelector('.short').textContent"); !strings.Contains(short, "probability 0.25") || !strings.Contains(short, "see the warnings") || !strings.Contains(short, "epsilon 2") {
		t.Errorf("got %q", short)
	}
	if rows := get[int](p, "document.querySelectorAll('[aria-label=\"If other members work together\"] tbody tr').length"); rows != 3 {
		t.Errorf("got %d numbers of colluders", rows)
	}
	p.withAxe()
	p.accessible("privacy-warnings")
	p.view("run")
	if absent := get[string](p, "document.querySelector('.absent').textContent"); !strings.Contains(absent, "Nothing of the rows of member-004 is known") || !strings.Contains(absent, "Something of the rows of member-002 is known") {
		t.Errorf("got %q", absent)
	}
	if top := get[string](p, "document.querySelector('.notice .warning').textContent"); !strings.Contains(top, "concerns you") {
		t.Errorf("got %q first", top)
	}
	p.accessible("run-private")
}

func TestAServerOfARunThatIsGone(t *testing.T) {
	s := command(t, false, "view", "o")
	p := open(t, s)
	p.until("document.querySelector('.ring')")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.until("document.querySelector('#problem').textContent.includes('collabdict view o')")
	p.withAxe()
	p.accessible("run-gone")
}

// Every control is reached by the tab key, and the views by theirs.
func TestARunByKeyboard(t *testing.T) {
	p := open(t, command(t, false, "view", "o"))
	p.until("document.querySelector('.ring')")
	p.press(kb.Tab)
	if get[string](p, "document.activeElement.className") != "skip" {
		t.Error("the first key does not lead to the way past the head")
	}
	p.press(kb.Tab, kb.Tab, kb.Enter)
	p.until("!document.getElementById('privacy-title').closest('section').hidden")
	p.view("model")
	p.until("document.querySelector('#pattern')")
	for view, want := range map[string][]string{
		"run": {"States of members", "Rounds as a table", "Events"}, "privacy": {"What can be seen besides sums"}, "model": {"pattern", "Means of the patterns"},
	} {
		p.view(view)
		p.run(chromedp.Focus(chromedp.CSS("#main")))
		reached := map[string]bool{}
		for range 30 {
			p.press(kb.Tab)
			at := get[string](p, "(() => { const e = document.activeElement; return e === document.body ? '' : (e.id || e.getAttribute('aria-label') || e.textContent.slice(0, 40)) })()")
			if at == "" || reached[at] {
				break
			}
			reached[at] = true
		}
		for _, w := range want {
			if !reached[w] {
				t.Errorf("%s: the tab key does not reach %q, but %v", view, w, reached)
			}
		}
	}
}

// processOf returns the process of the program with these first arguments.
func processOf(t *testing.T, args ...string) int {
	t.Helper()
	want := strings.Join(append([]string{filepath.Join(folder, "collabdict")}, args...), "\x00") + "\x00"
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(all) == 0 {
		t.Skip("want /proc, to find the process of a member")
	}
	for _, path := range all {
		line, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(line), want) {
			continue
		}
		if cwd, err := os.Readlink(filepath.Join(filepath.Dir(path), "cwd")); err == nil && cwd == folder {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("no process runs with %q", args)
	return 0
}

// Curves grow round by round; a member that is killed is named, and seen to return.
func TestAMemberIsLostAndReturns(t *testing.T) {
	s := command(t, true, "up", "--generate", "participants=5,rows=2000,columns=20,patterns=4", "--components", "12", "--rounds", "2000", "--tol", "0", "--out", "u")
	p := open(t, s)
	p.until("document.querySelectorAll('.ring .exchange').length > 3")
	rounds := "Number(document.querySelector('#run-title').closest('section').querySelector('dd').textContent.split(' ')[0].replace(',', ''))"
	for want := 1; want < 8; want *= 2 {
		p.until(fmt.Sprintf("%s >= %d", rounds, want))
	}
	p.until("document.querySelectorAll('.u-wrap').length >= 3")
	p.picture("run-live")
	p.view("privacy")
	p.until("document.body.innerText.includes('What leaves this member')")
	p.withAxe()
	p.accessible("privacy-live")
	p.view("model")
	p.until("document.body.innerText.includes('There is no model yet')")
	p.view("run")
	pid := processOf(t, "run", "--dir", filepath.Join("u", "plant-c"))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	p.until("document.querySelector('#status').textContent.includes('plant-c has been silent since')")
	p.until("document.querySelector('.absent').textContent.includes('plant-c is lost')")
	t.Logf("named after %s: %s", time.Since(killed), get[string](p, "document.querySelector('#status').textContent"))
	p.picture("run-lost")
	again := exec.Command(filepath.Join(folder, "collabdict"), "run", "--dir", filepath.Join("u", "plant-c"))
	again.Dir = folder
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Process.Kill(); _ = again.Wait() }()
	p.until("document.querySelector('.absent').hidden && document.querySelector('[aria-label=Events] tbody').innerText.includes('plant-c')")
	p.picture("run-returned")
	// Not through script: it would send the signal twice, and the second one ends the program at once.
	if err := syscall.Kill(processOf(t, "up"), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.until("document.querySelector('.outcome.stopped') && document.querySelector('.notice')")
	p.picture("run-stopped")
}
