//go:build e2e && linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// opens returns sites that all others reach.
func opens(t *testing.T, size int) (*internet, []site) {
	t.Helper()
	var build []func(t *testing.T, name, address string)
	var sites []site
	for i := range size {
		build = append(build, open)
		s := hospitals()[1]
		s.addrs = []string{"/ip4/20.20.0." + string(rune('1'+i)) + "/tcp/4001"}
		sites = append(sites, s)
	}
	return newInternet(t, build...), sites
}

func (c *consortium) start() {
	for _, m := range c.members {
		m.start()
	}
}

// For two minutes the network splits into four sites and two. The four continue, the two wait,
// and all end with the same model.
func TestPartition(t *testing.T) {
	n, sites := opens(t, 6)
	n.tell("delay 40ms")
	c := newConsortium(t, 700, sites...)
	c.start()
	c.members[5].says(`round 10/`, time.Minute)
	n.tell("part h1,h2,h3,h4 h5,h6")
	parted := time.Now()
	c.members[0].says(`without (h5|h6)`, time.Minute)
	c.members[5].says(`paused|without this member|waiting for`, time.Minute)
	time.Sleep(time.Until(parted.Add(2 * time.Minute)))
	n.tell("heal")
	c.members[5].says(`with this member again`, time.Minute)
	c.oneModel(6 * time.Minute)
}

// One member gets a twentieth of the processor's time. The others wait for it, and all end with
// the same model.
func TestSlowMember(t *testing.T) {
	n, sites := opens(t, 5)
	n.tell("delay 5ms")
	c := newConsortium(t, 30, sites...)
	c.start()
	stop := make(chan struct{})
	slowed := c.members[2].cmd.Process
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			_ = slowed.Signal(syscall.SIGSTOP)
			time.Sleep(380 * time.Millisecond)
			_ = slowed.Signal(syscall.SIGCONT)
		}
	}()
	defer close(stop)
	c.oneModel(5 * time.Minute)
}

// A member whose disk is full exits with a message, while the others continue. When there is
// room again, the same command brings it back, and all end with the same model.
func TestFullDisk(t *testing.T) {
	n, sites := opens(t, 4)
	n.tell("delay 20ms")
	c := newConsortium(t, 400, sites...)
	small := filepath.Join(t.TempDir(), "small")
	fatal(t, os.Mkdir(small, 0o700))
	fatal(t, exec.Command("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small).Run())
	t.Cleanup(func() { _ = exec.Command("umount", "-l", small).Run() })
	m := c.members[3]
	fatal(t, exec.Command("cp", "-a", m.dir, small).Run())
	m.dir = filepath.Join(small, m.name)
	m.write("node.yaml", strings.Replace(m.nodeYAML(sites[3], ""), "../consortium.yaml", c.agreement(), 1))
	c.start()
	m.says(`round 5/`, time.Minute)
	filler := filepath.Join(small, "filler")
	_ = exec.Command("dd", "if=/dev/zero", "of="+filler, "bs=4k").Run() // ends when the disk is full
	if code := m.exit(2 * time.Minute); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	m.says(`no space left on device`, time.Second)
	c.members[0].says(`without h4`, time.Minute)
	fatal(t, os.Remove(filler))
	m.start()
	m.says(`with this member again|round \d+/`, time.Minute)
	c.oneModel(5 * time.Minute)
}

// A member that is removed while it is away receives the reason when it comes back.
func TestRemovedWhileAway(t *testing.T) {
	away := lasts(t, "COLLABDICT_E2E_AWAY", 30*time.Second)
	n, sites := opens(t, 5)
	n.tell("delay 20ms")
	c := newConsortium(t, 30_000, sites...)
	c.start()
	gone := c.members[4]
	gone.says(`round 5/`, time.Minute)
	gone.kill()
	left := time.Now()
	c.members[0].says(`without h5`, time.Minute)
	c.agree("changes:\n  - remove: [h5]\n")
	c.members[0].says(`h5 has gone`, time.Minute)
	time.Sleep(time.Until(left.Add(away)))
	gone.start()
	if code := gone.exit(2 * time.Minute); code != 6 {
		t.Errorf("exit code %d, want 6:\n%s", code, gone.said())
	}
	gone.says(`a quorum has removed this member`, time.Second)
}
