package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"

	"github.com/collabdict/collabdict/internal/wire/pb"
)

// held has a digest for each version of the protocol. It covers the encoding of messages, and
// the messages in the transcripts of package consensus.
var held = map[uint32]string{
	7: "f2cb4a81315b396f96cc27f2a90c36020a09c1c6b49114b27e0875c54ea51191",
}

// A program refuses other versions. So a change of the messages requires a new [Version], and
// its digest here.
func TestVersionRisesWithTheProtocol(t *testing.T) {
	h := sha256.New()
	description, err := proto.MarshalOptions{Deterministic: true}.Marshal(protodesc.ToFileDescriptorProto(pb.File_wire_proto))
	if err != nil {
		t.Fatal(err)
	}
	h.Write(description)
	transcripts, err := filepath.Glob(filepath.Join("..", "..", "consensus", "testdata", "*.txt"))
	if err != nil || len(transcripts) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, path := range transcripts {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(b)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != held[Version] {
		t.Errorf("the protocol has digest %s, version %d is held with %q: raise Version if members of the previous version can no longer take part, and put the digest here", got, Version, held[Version])
	}
}
