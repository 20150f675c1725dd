package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const deploy = "../../deploy/"

// takes reports an error if the program would refuse a command line.
func takes(t *testing.T, args []string) {
	t.Helper()
	root := (&app{out: io.Discard, err: io.Discard}).root()
	cmd, rest, err := root.Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil && !strings.Contains(err.Error(), "want the folder of a participant, got none") { // there is none here
		t.Errorf("%q: %v", args, err)
	}
}

// The systemd unit is valid and hardened, starts an existing command, and does not restart a
// process whose error would recur.
func TestUnitOfSystemd(t *testing.T) {
	const name = "collabdict@.service"
	b, err := os.ReadFile(deploy + "systemd/" + name)
	if err != nil {
		t.Fatal(err)
	}
	text, values := string(b), valuesOf(t, deploy+"systemd/"+name)
	program, args, _ := strings.Cut(values["ExecStart"], " ")
	if program != "/usr/bin/collabdict" {
		t.Errorf("starts %s", program)
	}
	takes(t, strings.Fields(args))
	if values["SuccessExitStatus"] != fmt.Sprint(interrupted.code) {
		t.Errorf("success is %s", values["SuccessExitStatus"])
	}
	for _, c := range []class{usageFailure, dataFailure, modelFailure, disagreement, membersLost, stateFailure} {
		if !slices.Contains(strings.Fields(values["RestartPreventExitStatus"]), fmt.Sprint(c.code)) {
			t.Errorf("starts again after %s", c.name)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("SKIPPED, ONLY THE TEXT CHECKED: systemd-analyze is not installed (Debian package systemd)")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Replace(text, program, "/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "--man=no", path}, {"security", "--offline=true", "--threshold=20", path}} {
		said, err := exec.Command(analyze, args...).CombinedOutput()
		if err != nil || args[0] == "verify" && len(said) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, said)
		}
	}
}

// The systemd timer is valid, and starts the unit of the same name once a week. A run that the machine
// has missed is made up for.
func TestTimerOfSystemd(t *testing.T) {
	dir := t.TempDir()
	paths := map[string]string{}
	for _, name := range []string{"collabdict@.service", "collabdict@.timer"} {
		b, err := os.ReadFile(deploy + "systemd/" + name)
		if err != nil {
			t.Fatal(err)
		}
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], []byte(strings.Replace(string(b), "/usr/bin/collabdict", "/bin/true", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	values := valuesOf(t, paths["collabdict@.timer"])
	if unit, named := values["Unit"]; named {
		t.Errorf("starts %s", unit)
	}
	if values["Persistent"] != "true" || values["WantedBy"] != "timers.target" {
		t.Errorf("%v", values)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("SKIPPED, ONLY THE TEXT CHECKED: systemd-analyze is not installed (Debian package systemd)")
	}
	if said, err := exec.Command(analyze, "verify", "--man=no", paths["collabdict@.timer"], paths["collabdict@.service"]).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, said)
	}
	said, err := exec.Command(analyze, "calendar", "--iterations=3", "--base-time=2026-03-04 00:00:00 UTC", values["OnCalendar"]).CombinedOutput()
	for _, day := range []string{"2026-03-09", "2026-03-16", "2026-03-23"} {
		if err != nil || !strings.Contains(string(said), day) {
			t.Errorf("systemd-analyze calendar %s: no run on %s: %v\n%s", values["OnCalendar"], day, err, said)
		}
	}
}

// valuesOf returns the settings in a file of systemd.
func valuesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if key, value, is := strings.Cut(strings.TrimSpace(line), "="); is && !strings.HasPrefix(line, "#") {
			values[key] = value
		}
	}
	return values
}

// The file for docker compose is valid. Its five members differ only in names, files and volumes,
// and their commands exist.
func TestComposeFile(t *testing.T) {
	type service struct {
		Image       string   `yaml:"image"`
		Restart     string   `yaml:"restart"`
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
		SecurityOpt []string `yaml:"security_opt"`
		Secrets     []string `yaml:"secrets"`
		Networks    []string `yaml:"networks"`
		Command     []string `yaml:"command"`
		Volumes     []string `yaml:"volumes"`
		Healthcheck struct {
			Test        []string `yaml:"test"`
			Interval    string   `yaml:"interval"`
			Timeout     string   `yaml:"timeout"`
			Retries     int      `yaml:"retries"`
			StartPeriod string   `yaml:"start_period"`
		} `yaml:"healthcheck"`
	}
	var file struct {
		Name     string                       `yaml:"name"`
		Member   yaml.Node                    `yaml:"x-member"`
		Services map[string]service           `yaml:"services"`
		Networks map[string]map[string]string `yaml:"networks"`
		Volumes  map[string]map[string]string `yaml:"volumes"`
		Secrets  map[string]map[string]string `yaml:"secrets"`
	}
	f, err := os.Open(deploy + "compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if len(file.Services) != 5 || len(file.Volumes) != 5 {
		t.Errorf("%d services with %d volumes", len(file.Services), len(file.Volumes))
	}
	var commands []string
	for name, s := range file.Services {
		takes(t, s.Command)
		takes(t, s.Healthcheck.Test[2:])
		if at := slices.Index(s.Command, "--http"); at >= 0 {
			if host, _, err := net.SplitHostPort(s.Command[at+1]); err != nil || host == "" || net.ParseIP(host).IsLoopback() {
				t.Errorf("%s: --http %s cannot be reached from outside the container (%v)", name, s.Command[at+1], err)
			}
		}
		commands = append(commands, strings.ReplaceAll(strings.Join(s.Command, " "), name, "NAME"))
		_, volume := file.Volumes[name]
		_, secret := file.Secrets[s.Secrets[0]]
		_, network := file.Networks[s.Networks[0]]
		for folder, want := range map[string]bool{served(t, lost()): true, served(t, out()): false} {
			check := strings.Split(strings.ReplaceAll(strings.Join(s.Healthcheck.Test[2:], "\n"), "/data", folder), "\n")
			if code, _, stderr := exitOf(t, check...); (code == 0) != want {
				t.Errorf("%s: %q of a member that contributes: %t, has exit code %d: %s", name, check, want, code, stderr)
			}
		}
		if !volume || !secret || !network || s.Restart != "no" || s.Image == "" || s.Healthcheck.Test[0] != "CMD" {
			t.Errorf("%s: %+v", name, s)
		}
		for i, want := range []string{name + ":/data", fmt.Sprintf("./rows/%s.csv:/rows/%s.csv:ro", name, name)} {
			if s.Volumes[i] != want {
				t.Errorf("%s: volume %s, want %s", name, s.Volumes[i], want)
			}
		}
	}
	if slices.Sort(commands); len(slices.Compact(commands)) != 1 || !strings.Contains(commands[0], fmt.Sprintf("--expect %d ", len(file.Services))) {
		t.Errorf("commands differ: %q", commands)
	}
}

// The rules of Prometheus raise the alerts that their tests name, and no others, and the queries of the dashboard
// of Grafana are valid.
func TestRulesOfPrometheus(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED, NOTHING CHECKED: promtool is not installed (Debian package prometheus)")
	}
	text, err := os.ReadFile(deploy + "grafana/collabdict.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var queries []rule
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			queries = append(queries, rule{fmt.Sprintf("query:%d", len(queries)), strings.ReplaceAll(q.Expr, "$__rate_interval", "5m")})
		}
	}
	text, err = yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": queries}}})
	if err != nil {
		t.Fatal(err)
	}
	dashboard := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(dashboard, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "config", "--syntax-only", "prometheus.yml"}, {"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}, {"check", "rules", dashboard},
	} {
		c := exec.Command(promtool, args...)
		c.Dir = deploy + "prometheus"
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
}
