package launch

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/node"
)

// Layout makes a folder with an identity for each name under dir, finds free ports on loopback,
// and returns the members of the consortium.
func Layout(dir string, names []string) ([]config.Member, error) {
	ports, err := freePorts(len(names))
	if err == nil {
		err = checkLoopback()
	}
	if err != nil {
		return nil, err
	}
	members := make([]config.Member, len(names))
	for i, name := range names {
		id, err := node.Identity(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		members[i] = config.Member{Name: name, ID: id.String(), Addrs: []string{
			fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", ports[i]),
			fmt.Sprintf("/ip4/127.0.0.1/udp/%d/quic-v1", ports[i]),
		}}
	}
	return members, nil
}

// dialMost is the longest time that a connection on this machine may take.
const dialMost = 5 * time.Second

// checkLoopback returns an error if processes of this machine cannot connect to each other. Where the
// interface is down, as in some sandboxes, listening succeeds all the same.
func checkLoopback() error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on 127.0.0.1: %w", err)
	}
	defer l.Close()
	c, err := net.DialTimeout("tcp4", l.Addr().String(), dialMost)
	if err != nil {
		return fmt.Errorf("nodes on this machine cannot connect to each other on 127.0.0.1: %w: bring up the loopback interface (ip link set lo up), or leave the sandbox that has none", err)
	}
	return c.Close()
}

// Systems give ports above these to who asks for any, such as 32768 and up on Linux. So a member that is away
// finds its port free when it comes back.
const (
	leastPort = 10_000
	mostPort  = 32_767
)

// freePorts returns ports that are free for TCP and UDP. Another process may take one before it
// is used; listening then fails.
func freePorts(n int) ([]int, error) {
	var ports []int
	for tries := 0; len(ports) < n; tries++ {
		drawn, err := rand.Int(rand.Reader, big.NewInt(mostPort-leastPort+1))
		if err != nil {
			return nil, err
		}
		port := leastPort + int(drawn.Int64())
		t, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			defer t.Close() // held until all are found, so that they differ
			var u net.PacketConn
			if u, err = net.ListenPacket("udp4", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
				defer u.Close()
				ports = append(ports, port)
			}
		}
		if err != nil && tries > 10*n+100 {
			return nil, fmt.Errorf("find free ports on 127.0.0.1: %w", err)
		}
	}
	return ports, nil
}
