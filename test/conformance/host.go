package conformance

import (
	"os"
	"testing"

	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

// Host is what cases need to know of the host that they talk to.
type Host struct {
	Uploads string           // the folder whose files it may upload
	KeyFile string           // holds the key of its voice service
	Voice   *realtime.Server // its voice service
}

// Hosted is a backend with a host, which is one of the whole chain.
type Hosted interface{ Host() Host }

func (p *Page) host() Host {
	p.Helper()
	hosted, ok := p.backend.(Hosted)
	if !ok {
		p.Fatal("this backend has no host")
	}
	return hosted.Host()
}

func (h Host) writeKey(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(h.KeyFile, []byte(realtime.Key), 0o600); err != nil {
		t.Fatal(err)
	}
}
