package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Card is the file that a participant sends to the others, so that they list it as a member.
type Card struct {
	Version int    `yaml:"version"`
	Member  Member `yaml:"member"`
	// Columns are those of its rows, limited to the columns of the agreement if there is one.
	Columns   []string `yaml:"columns"`
	Signature string   `yaml:"signature"` // signature over all other fields with the member's key, in base64
}

// mostCard is the largest size of a card, in bytes.
const mostCard = 1 << 20

// ReadCard reads a card. It does not check the signature.
func ReadCard(path string) (*Card, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > mostCard {
		return nil, &Error{path, fmt.Errorf("want a card of at most %d bytes, got %d", mostCard, info.Size()), "use the card as collabdict consortium join wrote it"}
	}
	b, err := content(path, "each member makes its own with collabdict consortium join")
	if err != nil {
		return nil, err
	}
	return decodeCard(path, b)
}

func decodeCard(path string, b []byte) (*Card, error) {
	c := &Card{}
	if err := decode(path, b, c); err != nil {
		return nil, err
	}
	if err := checkVersion(path, c.Version); err != nil {
		return nil, err
	}
	if c.Member.Name == "" || c.Member.ID == "" || len(c.Columns) == 0 || c.Signature == "" {
		return nil, &Error{path, errors.New("want member with name and id, columns and signature"), "use the card as collabdict consortium join wrote it"}
	}
	if err := cmp.Or(checkMember("member", c.Member), checkTexts("columns", c.Columns...)); err != nil {
		return nil, &Error{path, err, "ask the member for other names"}
	}
	return c, nil
}

// Text returns the card as a file.
func (c *Card) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The card of %q for the agreement of a consortium. Nothing in it is secret.\n", c.Member.Name)
	if err := dump(&b, nodeOf(c)); err != nil {
		panic(fmt.Sprintf("config: %v", err)) // plain data
	}
	return b.Bytes()
}

// Lacks returns the agreed columns that the card does not have.
func (c *Card) Lacks(agreed []string) []string {
	return slices.DeleteFunc(slices.Clone(agreed), func(name string) bool { return slices.Contains(c.Columns, name) })
}
