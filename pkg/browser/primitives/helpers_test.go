package primitives

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/database"
)

// patience bounds every wait of these tests.
const patience = 10 * time.Second

const someID = "0123456789abcdef0123456789abcdef"

// owner is a profile with a claim of tab 1. Nothing else is reported to it.
type owner struct{ browser.Delegate }

func (owner) Handshake(context.Context, *browser.Browser, protocol.Handshake) ([]int, error) {
	return []int{1}, nil
}

func (owner) RegisterPages(*rpc.Mux) {}

// connect returns a connection whose handshake is done. The extension at its other end answers
// the host's requests with answer.
func connect(t *testing.T, answer rpc.Handler) *browser.Browser {
	t.Helper()
	return connectAs(t, protocol.Number, answer)
}

// connectAs is connect with an extension of that protocol.
func connectAs(t *testing.T, number int, answer rpc.Handler) *browser.Browser {
	t.Helper()
	near, far := net.Pipe()
	b, err := browser.Connect(t.Context(), near, "1.0.0", owner{})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := rpc.Connect(t.Context(), far, rpc.Options{Handler: answer, MaxIn: nativemsg.MaxToBrowser, MaxOut: nativemsg.MaxFromBrowser})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { worker.Close(); b.Close() })
	if err := worker.Call(limited(t), protocol.MethodHandshake, protocol.Handshake{
		Protocol: number, ProtocolMin: protocol.MinNumber, ExtensionVersion: "1.0.0", DictionaryHash: manifest.DictionaryHash(),
		ProfileID: someID, ProfileLabel: "Test 1", Browser: protocol.BrowserInfo{Name: "chromium", Version: "1"}, BrowserSession: someID,
		Primitives: []string{"page.info", "pointer.click"}, Tabs: []protocol.Tab{},
	}, nil); err != nil {
		t.Fatal(err)
	}
	return b
}

// claimed is a registry with tab 1 in it.
func claimed(t *testing.T) *tabs.Registry {
	t.Helper()
	db := database.New(t)
	registry, err := tabs.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Begin(someID, someID, nil); err != nil {
		t.Fatal(err)
	}
	if err := registry.Claim(tabs.Tab{TabID: 1, URL: "https://example.com/", RuntimeID: "old"}); err != nil {
		t.Fatal(err)
	}
	return registry
}

func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}
