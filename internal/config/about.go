package config

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/option"
)

// about describes a field of a file. If the field is left out, the file has the example as a
// comment.
type about struct{ field, text, example string }

var aboutNode = []about{
	{"version", "Format version of this file.", ""},
	{"name", "Name of this participant, as the agreement lists it.", ""},
	{"consortium", "Agreement of the consortium. Paths are relative to the folder of this file.", ""},
	{"listen", "Addresses that the node listens on: 0.0.0.0 is all interfaces, port 0 is chosen by the system. Open the port in the firewall.", "[/ip4/0.0.0.0/tcp/4001, /ip4/0.0.0.0/udp/4001/quic-v1]"},
	{"announce", "Addresses that the others dial, if not those in listen: of a router that forwards a port, or a name.", "[/dns4/a.example.org/tcp/4001]"},
	{"map_ports", "Ask the router to forward a port to this node, by UPnP.", "true"},
	{"relay", "Relay connections between members that do not reach each other. They are encrypted from end to end.", "true"},
	{"data", "Files, folders or patterns of rows: .csv, .csv.gz, .parquet, .npy, .npz, .ndjson and IDX files, a .sql query, or - for standard input.", ""},
	{"engine", "Program with its arguments that reads the data where it is, and makes the passes over it.", "[collabdict-beam, --temp, s3://bucket/tmp]"},
	{"label", "Column with 1 for anomalies, 0 or -1 for normal rows; other values are classes.", "fault"},
	{"anomaly", "Value in that column that means an anomaly, if it is not 1; others are normal.", "faulty"},
	{"class_labels", "Labels are classes, even if all of this participant's are 0, 1 or -1.", "true"},
	{"where", "Train only on rows with COLUMN=VALUE.", "split=train"},
	{"test_where", "Score rows with COLUMN=VALUE, and do not train on them.", "split=test"},
	{"time_column", "Column of times, for a model with window.", "time"},
	{"limit", "Train only on this number of first rows.", "1000"},
	{"ignore", "Columns that are not features.", "[timestamp]"},
	{"keep", "Columns that are features although they look like times, row numbers or labels.", "[energy]"},
	{"rename", "Agreed names of columns, by their names in your rows. All other settings here use the agreed names.", "{T_in: temp}"},
	{"units", "Units of your columns, by agreed name, where they differ from the agreement's.", "{temp: degF}"},
	{"missing", "What to do with rows that have missing cells: error or skip. If left out, as the agreement says.", "skip"},
	{"csv", "How CSV files are written: delimiter, decimal, thousands, comment, skip, units_row and day_first. Those left out are recognised, except day_first: without it, 3/4/2026 is in March.", "{delimiter: \";\", decimal: \",\"}"},
	{"memory", "Hold rows in memory if their values take at most this; otherwise read the files in every pass.", "512MiB"},
	{"float32", "Hold rows in memory in single precision.", "true"},
	{"baselines", "Also train these baselines, and show their figures.", "[alone]"},
	{"patience", "Continue without a member that takes this many times its usual time.", "3"},
	{"durability", "Where to keep the state of a sum under way: disk, so that a restarted process can resume it, or memory.", "disk"},
	{"http", "Address for status, metrics and health by HTTP, such as :9464; without a host, only for this machine.", "\":9464\""},
}

var aboutConsortium = []about{
	{"version", "Format version of this file.", ""},
	{"members", "Members that a run begins with. collabdict consortium invite adds them by their cards; addrs are not signed.", ""},
	{"changes", "Changes of the members during a run, and its pauses, in order. Each takes effect when a quorum has it. The list only grows, and is not signed.", "[{remove: [plant-b]}]"},
	{"begin_at", "No run begins before this time, even if all members are there.", "2026-05-04T06:00:00Z"},
	{"columns", "Features that all members have, in the order of the model.", ""},
	{"units", "Units of columns. A member with other units names them in its node.yaml, and its columns are converted.", "{temp: degC}"},
	{"model", "What is learned, and how rows are prepared. Settings left out have their defaults.", ""},
	{"consensus", "How sums are made and protected. Settings left out have their defaults.", "{}"},
}

var aboutModel = []about{
	{"kind", "Kind of model.", ""},
	{"ranges", "Ranges of columns, which are scaled to 0..1, with standardise: agreed. \"*\" stands for all other columns.", "{\"*\": [0, 100]}"},
}

// WriteNew writes a new node.yaml, with a comment on each field, into a participant's folder.
func (n *Node) WriteNew(dir string) error {
	b := n.commented()
	if err := decode(NodeFile, b, &Node{}); err != nil {
		return err
	}
	return create(filepath.Join(dir, NodeFile), b)
}

func (n *Node) commented() []byte {
	var b bytes.Buffer
	b.WriteString("# The settings of one participant. They are sent to nobody.\n")
	writeFields(&b, "", aboutNode, nodeOf(n))
	return b.Bytes()
}

// WriteNew writes a new agreement on a task, with a comment on each field. It may lack members.
func (c *Consortium) WriteNew(path string, t *pipeline.Task) error {
	b, err := c.commented(path, t)
	if err != nil {
		return err
	}
	return create(path, b)
}

func (c *Consortium) commented(path string, t *pipeline.Task) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# The agreement of a consortium, the same for all members. Read it before you sign it.\n")
	root := nodeOf(c)
	for _, a := range aboutConsortium {
		var parts []about
		switch a.field {
		case "model":
			parts = slices.Concat(aboutModel[:1], aboutOptions(slices.Concat(t.Options, t.Shared)), aboutModel[1:])
			parts = withRanges(parts, entry(root, a.field))
		case "consensus":
			parts = aboutOptions(t.Consensus)
		default:
			writeFields(&b, "", []about{a}, root)
			continue
		}
		fmt.Fprintf(&b, "\n%s%s:\n", comment("", a.text), a.field)
		writeFields(&b, "  ", parts, entry(root, a.field))
	}
	var bare bytes.Buffer
	if err := dump(&bare, c); err != nil {
		return nil, err
	}
	want, err := decodeDraft(path, bare.Bytes())
	if err != nil {
		return nil, err
	}
	got, err := decodeDraft(path, b.Bytes())
	if err == nil && !want.Same(got) {
		err = fmt.Errorf("%s: the agreement cannot be written with comments", path)
	}
	return b.Bytes(), err
}

// aboutOptions describes the options that apply.
func aboutOptions(t option.Table) (list []about) {
	for _, o := range t {
		if o.Applies() {
			text, value := plain(o.Help)
			list = append(list, about{o.Key(), text, cmp.Or(o.Default, value)})
		}
	}
	return list
}

// withRanges adds the fields of the upper ends of ranges that the mapping has.
func withRanges(list []about, mapping *yaml.Node) (all []about) {
	for _, a := range list {
		all = append(all, a)
		if most := "most_" + a.field; mapping != nil && entry(mapping, most) != nil {
			all = append(all, about{most, "The upper end of the range that " + a.field + " begins.", ""})
		}
	}
	return all
}

var (
	quotedWord = regexp.MustCompile("`[^`]*`")
	flagName   = regexp.MustCompile(`--[a-z][a-z-]*`)
)

// plain turns the help of an option into a sentence for a file, and returns its placeholder for
// the value.
func plain(help string) (text, value string) {
	value = strings.Trim(quotedWord.FindString(help), "`")
	word := strings.ToLower(value)
	if bare := quotedWord.ReplaceAllString(help, ""); len(value) == 1 || strings.Contains(bare, word) {
		word = value // which distinguishes it from the same word in the text
	}
	text = quotedWord.ReplaceAllString(help, word)
	text = flagName.ReplaceAllStringFunc(text, func(flag string) string { return strings.ReplaceAll(flag[2:], "-", "_") })
	return strings.ToUpper(text[:1]) + text[1:] + ".", value
}

// writeFields writes the fields of a mapping, each below its description. Fields that the
// mapping does not have are written as comments.
func writeFields(b *bytes.Buffer, indent string, fields []about, mapping *yaml.Node) {
	for _, a := range fields {
		b.WriteString("\n" + comment(indent, a.text))
		value := entry(mapping, a.field)
		if value == nil {
			fmt.Fprintf(b, "%s#%s: %s\n", indent, a.field, a.example)
			continue
		}
		var lines bytes.Buffer
		if err := dump(&lines, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: a.field}, value}}); err != nil {
			panic(fmt.Sprintf("config: %v", err)) // plain data
		}
		for line := range strings.Lines(lines.String()) {
			b.WriteString(indent + line)
		}
	}
}

// width is the longest line of a comment.
const width = 96

// comment returns a text as comment lines.
func comment(indent, text string) string {
	var b strings.Builder
	line := indent + "#"
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) >= width {
			b.WriteString(line + "\n")
			line = indent + "#"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
