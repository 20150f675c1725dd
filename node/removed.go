package node

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
)

// askEvery is the time between two questions to members that are lost, in heartbeats.
const askEvery = 10

// ask says hello while members are lost. While the run is paused it does so to those that are
// lost: they may have removed this member, which was cut off, and not speak to it any more.
// It asks the others in turn where the lost ones are reached now.
func (n *Node) ask(ctx context.Context) {
	ticker := time.NewTicker(askEvery * n.heartbeat)
	defer ticker.Stop()
	for turn := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-n.loop.inbox.stopped:
			return
		case <-ticker.C:
		}
		s, all := n.loop.status.Load().machine, n.members.Load()
		lost := ranksOf(s.Lost)
		if len(lost) == 0 {
			continue
		}
		var away, here []peer.ID
		for id, rank := range all.Ranks {
			if lost[rank] {
				away = append(away, id)
			} else if rank != n.self {
				here = append(here, id)
			}
		}
		if len(here) > 0 && len(all.Ranks) <= consensus.SmallRoster { // their answers name all members
			slices.Sort(here)
			n.rendezvous.Ask(ctx, here[turn%len(here):][:1])
		}
		if turn++; s.Paused {
			n.rendezvous.Ask(ctx, away)
		}
	}
}

// removed ends this member's part: the others have removed it.
func (n *Node) removed() {
	n.loop.background.Start(func() {
		_, _ = n.loop.ask(context.Background(), &request{do: func() (*consensus.Decision, error) {
			n.loop.expel()
			return nil, nil
		}})
	})
}

// expel ends the run here. What a call returns from now on is why.
func (l *loop) expel() {
	if l.expelled != nil || l.machine.State() >= consensus.Finished {
		return
	}
	l.expelled = &consensus.RemovedError{Revision: l.members.Load().Params.Revision + 1}
	l.log.Warn("the others have removed this member while it was away", "reason", l.expelled)
	l.step(consensus.Abort{Reason: l.expelled.Error()})
}
