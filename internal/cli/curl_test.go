package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// curlExamples returns the commands of curl on the page about serve and in its help, each after the settings of
// variables before it.
func curlExamples(t *testing.T) (all []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/how-to/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	text := (&app{}).serve().Example
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		text += "\n" + string(block[1])
	}
	settings := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "curl "):
			all = append(all, settings+line)
		case regexp.MustCompile(`^\w+=`).MatchString(line):
			settings += line + "\n"
		}
	}
	return all
}

// answered runs a command of curl until it ends, or has answered with a line; without curl, a client that knows the
// same arguments does.
func answered(t *testing.T, dir, command string) (answer string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	var body io.Reader
	if _, err := exec.LookPath("curl"); err == nil {
		c := exec.CommandContext(ctx, "sh", "-c", strings.Replace(command, "curl ", "exec curl --silent --show-error --fail-with-body ", 1))
		c.Dir, c.Stderr = dir, os.Stderr
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { // an answer without end is cut
			cancel()
			_ = c.Wait()
		}()
		body = out
	} else {
		t.Log("without curl, a client of the test sends the request")
		c := exec.CommandContext(ctx, "sh", "-c", `curl() { printf '%s\0' "$@"; }`+"\n"+command)
		c.Dir = dir
		args, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1", nil)
		if err != nil {
			t.Fatal(err)
		}
		list := strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")
		for i := 0; i < len(list); i++ {
			switch list[i] {
			case "-H":
				i++
				name, value, _ := strings.Cut(list[i], ": ")
				r.Header.Set(name, value)
			case "-d", "--data-binary":
				i++
				data := []byte(list[i])
				if name, is := strings.CutPrefix(list[i], "@"); is {
					if data, err = os.ReadFile(filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
				}
				r.Method, r.Body = http.MethodPost, io.NopCloser(bytes.NewReader(data))
			case "--no-buffer":
			default:
				if r.URL, err = r.URL.Parse(list[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		if a.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s", command, a.Status)
		}
		body = a.Body
	}
	for lines := bufio.NewScanner(body); lines.Scan(); {
		answer += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "event: ") {
			return answer
		}
	}
	return answer
}

// The examples of curl get answers from a server, and there is one for each of its paths.
func TestExamplesOfCurl(t *testing.T) {
	testkit.SkipRaced(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	if code, said := start(t, dir, "sim", "--generate", "participants=3,rows=40,columns=3,patterns=2", "--components", "2", "--rounds", "3", "--out", ".").end(t); code != 0 {
		t.Fatal(said)
	}
	appendTo(t, filepath.Join(dir, "today.csv"), "time,temp_1,flow_2,pressure_3\n2026-11-07 06:00,70,12,5\n2026-11-07 06:10,71,12,5\n")
	s := start(t, dir, "serve", "plant-a", "--listen", "127.0.0.1:0")
	address := s.until(t, `scores at http://(\S+)/v1/score`)[1]
	want := map[string]string{ // in the answers by paths
		"/v1/score": `"rows":|^row,time,score`, "/v1/model": `"digest":`, "/v1/events": `event: alive`, "/metrics": `collabdict_serve_rows_total{source="press-7"} [1-9]`,
		"/openapi.json": `"openapi": ?"3.1`, "/healthz": `running`, "/readyz": `loaded`,
	}
	var paths []string
	for _, command := range curlExamples(t) {
		path := regexp.MustCompile(`http://127\.0\.0\.1:8086(/[\w./]*)`).FindStringSubmatch(command)
		if path == nil {
			t.Errorf("%s: no address of the default", command)
			continue
		}
		paths = append(paths, path[1])
		answer := answered(t, dir, strings.Replace(command, "127.0.0.1:8086", address, 1))
		if want[path[1]] == "" || !regexp.MustCompile(want[path[1]]).MatchString(answer) {
			t.Errorf("%s\ngot %.500s", command, answer)
		}
	}
	for path := range want {
		if !slices.Contains(paths, path) {
			t.Errorf("there is no example for %s", path)
		}
	}
}
