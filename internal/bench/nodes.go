package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/node"
)

// joinMost bounds the wait until all nodes have met.
const joinMost = 2 * time.Minute

func nameOf(i int) string { return fmt.Sprintf("node-%03d", i) }

// start returns nodes on 127.0.0.1 that have begun a run, in rank order.
func start(ctx context.Context, c Consensus) ([]*node.Node, error) {
	names := make([]string, c.Nodes)
	for i := range names {
		names[i] = nameOf(i)
	}
	layout, err := launch.Layout(c.Dir, names)
	if err != nil {
		return nil, err
	}
	members := make([]node.Member, c.Nodes)
	for i, m := range layout {
		if members[i], err = node.NewMember(m.Name, m.ID, m.Addrs); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	nodes, errs := make([]*node.Node, c.Nodes), make([]error, c.Nodes)
	var joining sync.WaitGroup
	for i, name := range names {
		joining.Go(func() {
			nodes[i], errs[i] = node.Join(ctx, node.Config{
				Name: name, Dir: filepath.Join(c.Dir, name), Listen: layout[i].Addrs, Members: members,
				Settings: c.Settings, JoinTimeout: joinMost,
			})
			if errs[i] != nil {
				cancel() // the run needs all of them
			}
		})
	}
	joining.Wait()
	if err := errors.Join(errs...); err != nil {
		closeAll(nodes)
		return nil, err
	}
	return nodes, nil
}

// each calls f for all nodes at once and waits for the results.
func each[T any](nodes []*node.Node, f func(i int, n *node.Node) T) []T {
	results := make([]T, len(nodes))
	var calls sync.WaitGroup
	for i, n := range nodes {
		calls.Go(func() { results[i] = f(i, n) })
	}
	calls.Wait()
	return results
}

// finish ends the run as planned.
func finish(ctx context.Context, nodes []*node.Node) error {
	return errors.Join(each(nodes, func(_ int, n *node.Node) error { return n.Finish(ctx) })...)
}

func closeAll(nodes []*node.Node) {
	each(nodes, func(_ int, n *node.Node) error {
		if n == nil {
			return nil
		}
		return n.Close()
	})
}
