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
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('summary').focus()"))
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
			"warned": []object{{"at": at, "text": "member-002 is lost: silent for 9 s"}}, "warnings": 3,
			"node": object{"edges": edges, "last_took": 120_000_000, "traffic": object{"bytes_sent": 12_345_678, "messages_sent": 4321, "bytes_received": 12_000_000, "messages_received": 4300}},
		},
		"doing": "round 12: waiting for member-001, 5s", "healthy": true, "left": 95_000_000_000, "members": members, "folder": "o",
		"rounds": []object{}, "events": []object{},
	}
}

func withRounds(run object, from, to int) object {
	var rounds []object
	for r := from; r <= to; r++ {
		rounds = append(rounds, object{"round": r, "at": time.Unix(1_800_000_000+int64(r), 0).UTC(), "objective": -3 - 10*math.Exp(-float64(r)/8), "members": 3, "error": 1e-9 * float64(r), "bytes_sent": 1_000_000 * r})
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
			if n > 3 {
				p.withAxe()
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
	p.until("document.querySelector('#status').textContent.includes('member-001 is silent since')")
	lost := consortium(3, 13, at.Add(2*time.Second))
	lost["events"] = []object{{"number": 1, "at": at, "round": 13, "kind": "left", "member": "member-002", "text": "continuing without member-002 (silent)"}}
	m.send(t, "news", lost)
	p.until("document.querySelector('#status').textContent.includes('continuing without member-002')")
	p.until("document.querySelector('[aria-label=Events] tbody tr').innerText.includes('member-002')")
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('summary').click()"))
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
	p.until("document.body.innerText.includes('What the other members see of you')")
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
	p.until("document.querySelector('#status').textContent.includes('plant-c is silent since')")
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
	p.until("document.querySelector('.notice pre')?.textContent === 'collabdict view u'")
}
