package hostproc

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestListOfCalls(t *testing.T) {
	// Ensure that of several calls in one frame of the socket each is answered by its id, a malformed one as such while the others run, and that the client goes on.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	stream, err := net.Dial("unix", filepath.Join(home.Sockets(), fakes.ProfileID[:12]+".sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := stream.SetDeadline(time.Now().Add(harness.Patience)); err != nil {
		t.Fatal(err)
	}
	params, err := json.Marshal(direct("page.info", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	good := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, control.MethodCall, params)
	}
	send := func(text string) {
		t.Helper()
		if _, err := stream.Write(append(binary.NativeEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
			t.Fatal(err)
		}
	}
	frames := nativemsg.NewReader(stream, nativemsg.MaxToBrowser)
	next := func() (id int, m message) {
		t.Helper()
		frame, err := frames.ReadFrame()
		if err == nil {
			err = json.Unmarshal(frame, &m)
		}
		if err == nil {
			err = json.Unmarshal(m.ID, &id)
		}
		if err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		return id, m
	}
	send("[" + good(1) + `,{"jsonrpc":"2.0","id":2,"method":"call","method":"ping"},` + good(3) + "]")
	answers := map[int]message{}
	for range 3 {
		id, m := next()
		answers[id] = m
	}
	for _, id := range []int{1, 3} {
		var e dispatch.Envelope
		if err := json.Unmarshal(answers[id].Result, &e); err != nil || !e.OK {
			t.Errorf("call %d: %+v, %v", id, answers[id], err)
		}
	}
	if bad := answers[2].Error; bad == nil || fault.Code(bad.Data.Code) != fault.InvalidMessage || bad.Data.Dispatched != string(fault.NotDispatched) {
		t.Errorf("the malformed one: %+v", answers[2])
	}
	if n := len(b.Calls()); n != 2 {
		t.Errorf("the page saw %d calls", n)
	}
	send(good(4))
	if id, m := next(); id != 4 || m.Error != nil {
		t.Errorf("afterwards: %d %+v", id, m)
	}
}
