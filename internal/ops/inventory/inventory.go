// Package inventory lists what leaves a member outside of collectives: fields of its status,
// metrics, files, and what the network shows. For each it says what that tells about the member's
// rows. Tests compare the lists with the program, so that nothing is added unlisted. What
// collectives show is listed by the algorithms and by package pipeline; see
// [github.com/collabdict/collabdict/algorithm.Item].
//
// Start reading at [Things].
package inventory

import (
	"path"
	"slices"
)

// A Place is where something can be seen.
type Place string

// The places.
const (
	Network Place = "The network"
	Status  Place = "The status"
	Metrics Place = "Metrics"
	Socket  Place = "The control socket"
	Engine  Place = "An engine, if node.yaml names one"
	Files   Place = "Files"
)

// Places are all places.
var Places = []Place{Network, Status, Metrics, Socket, Engine, Files}

// SeenBy returns who can see what is at the place.
func (p Place) SeenBy() string {
	switch p {
	case Network:
		return "all members"
	case Status, Metrics:
		return "whoever can reach the port"
	case Socket:
		return "the owner of the folder, who sees here all that the port shows, too"
	case Engine:
		return "whoever runs its workers, or reads the folder of its files"
	default:
		return "the owner of the folder, and whoever gets a file from it"
	}
}

// A Thing can be seen outside of collectives.
type Thing struct {
	Place Place
	// Names are the fields, as paths in the JSON object; the metrics, without their prefix, or with it
	// on the socket, which has fields, too; or the files, as patterns for [path.Match]. They are free
	// text for the network and an engine.
	Names []string
	// Tells is what these tell about the member's rows; empty if nothing.
	Tells string
	// Pass is to whom the owner may give these; empty for what is no file.
	Pass Pass
}

const (
	// WorkTime is all that the status and the metrics may tell whoever can reach the port about
	// rows: all members see it, too.
	WorkTime = "how long its work on its rows takes, and so about how many there are"

	keep    = ", so keep these to yourself"
	ownRows = "the owner's own rows or its own model" + keep
)

// Secret reports whether its owner should give it to nobody.
func (t Thing) Secret() bool { return t.Pass == Nobody }

// A Pass says to whom the owner of the folder may give a file.
type Pass string

// The values of Pass.
const (
	Anyone Pass = "anyone" // it has nothing about rows
	// Informed are those who may know what the file shows. It has no row of the owner, but more
	// than the other members have seen.
	Informed Pass = "informed"
	Nobody   Pass = "nobody"
)

// Things are all things outside of collectives.
var Things = []Thing{
	{Place: Network, Names: []string{"The time at which a member calls a collective"}, Tells: WorkTime},
	{Place: Network, Names: []string{"The end of a member's part by an error"}, Tells: "that something is wrong with its rows or its process, but not what"},
	{Place: Network, Names: []string{"Names, keys, addresses, and the digest of the agreement"}},

	{Place: Status, Names: []string{"pace", "node.last_took", "node.waiting.for", "node.waiting.usual"}, Tells: WorkTime},
	{Place: Status, Names: []string{
		"release", "name", "model", "phase", "at", "began", "since", "run", "roster", "round", "rounds", "resumed", "agreement",
		"spent.by", "spent.zcdp", "spent.epsilon", "spent.delta", "spent.of", "node_warnings",
		"node.name", "node.state", "node.begin_at", "node.present", "node.missing", "node.want", "node.addrs",
		"node.slot", "node.attempt", "node.ballots", "node.round", "node.call", "node.iteration", "node.iterations_predicted",
		"node.come.frames", "node.come.frames_in_all", "node.come.bytes", "node.come.bytes_in_all",
		"node.members", "node.absent.name", "node.absent.reason", "node.absent.lost", "node.alone.by", "node.alone.of",
		"node.paused", "node.paused_by", "node.paused_since", "node.held", "node.held_until", "node.least", "node.quorum", "node.stuck",
		"node.waiting.name", "node.wanted.names", "node.wanted.own", "node.setup_slots", "node.last_iterations", "node.last_difference",
		"node.traffic.bytes_sent", "node.traffic.bytes_received", "node.traffic.data_bytes_sent", "node.traffic.messages_sent", "node.traffic.messages_received",
		"node.links.name", "node.links.via", "node.edges.a", "node.edges.b", "node.unreached.a", "node.unreached.b", "node.unreached.reason", "node.unreached.advice",
		"process.goroutines", "process.state_bytes",
	}},

	{Place: Metrics, Names: []string{"round_duration_seconds", "remaining_seconds", "last_sum_duration_seconds", "member_waiting_seconds"}, Tells: WorkTime},
	{Place: Metrics, Names: []string{
		"build_info", "start_timestamp_seconds", "phase", "healthy", "ready", "round", "rounds_limit", "slot", "state", "ballots_total",
		"members_wanted", "members_present", "members_needed", "paused", "paused_by_agreement",
		"sent_bytes_total", "received_bytes_total", "sent_messages_total", "received_messages_total",
		"warnings_total", "privacy_epsilon", "goroutines", "state_file_bytes",
	}},

	{Place: Socket, Names: []string{"process.heap_bytes", "collabdict_heap_bytes"}, Tells: "about how many rows are in memory"},
	{Place: Socket, Names: []string{"warned.at", "warned.text", "warned.kind", "warned.members", "warnings"}, Tells: "what the program warns its owner of"},
	{Place: Socket, Names: []string{"known.at", "known.text", "known.kind", "known.members", "known_in_all"}, Tells: "what all members have come to know of a member"},
	{Place: Socket, Names: []string{
		"last.loss", "last.objective", "last.step", "last.members", "last.clusters", "last.converged", "last.smallest_contribution", "last.low_diversity.component",
		"last.low_diversity.action", "last.information", "last.active_units", "last.latent", "last.weight", "last.discrepancy", "last.virtual",
	}, Tells: "figures of the last round, with those of the owner's rows"},

	{Place: Engine, Names: []string{"The rows, the model in training, and sums over the rows"}, Tells: "all, while the run lasts; no key and no noise goes there"},

	{Place: Files, Names: []string{"model.npz"}, Tells: "the shared model, with the owner's number of rows, threshold, and its weights, clusters or encoder if the kind has these; with --standardise own also the mean and spread of its columns", Pass: Informed},
	{Place: Files, Names: []string{"own.npz"}, Tells: "the owner's conditions, and with --standardise own the mean and spread of its columns", Pass: Nobody},
	{Place: Files, Names: []string{"local.npz"}, Tells: ownRows, Pass: Nobody},
	{Place: Files, Names: []string{"result.json", "rounds.csv"}, Tells: "the figures of the run, with those of the owner's rows", Pass: Informed},
	{Place: Files, Names: []string{"state.db"}, Tells: "all totals, and what members have published", Pass: Nobody},
	{Place: Files, Names: []string{"state.keys", "rows.key", "runs.key"}, Tells: "how to compute hidden vectors, noise and digests of rows" + keep, Pass: Nobody},
	{Place: Files, Names: []string{"journal.log", "journal-torn-*.log"}, Tells: "keyed digests of the rows of each run", Pass: Nobody},
	{Place: Files, Names: []string{"node.log"}, Tells: "the number of rows read, warnings and errors, which may name a row or cell", Pass: Nobody},
	{Place: Files, Names: []string{"*.csv"}, Tells: ownRows, Pass: Nobody},
	{Place: Files, Names: []string{"demo.txt"}, Tells: "nothing: the folder is of a demo", Pass: Anyone},
	{Place: Files, Names: []string{"a file without a name"}, Tells: "the owner's own rows, if these exceed --memory; it is gone when the process ends", Pass: Nobody},
	{Place: Files, Names: []string{"identity.key", "node.yaml"}, Pass: Nobody},
	{Place: Files, Names: []string{"control.sock", "*.lock", "evidence-*.json"}, Pass: Anyone},
}

// Listed reports whether a name is listed for a place.
func Listed(at Place, name string) bool {
	return slices.ContainsFunc(Things, func(t Thing) bool {
		return t.Place == at && slices.ContainsFunc(t.Names, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
	})
}
