package control

import (
	"context"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// record does what the user wants of the recording of the tab that is meant.
func (s *Server) record(ctx context.Context, p Record) (out Recorded, err error) {
	switch p.Do {
	case "view", "start", "done", "cancel":
	default:
		return out, fault.New(fault.InvalidInput, "%q is not for a recording", p.Do).WithDispatched(fault.NotDispatched)
	}
	tab, err := s.service.Dispatcher().Tabs.Resolve(0, p.Target.target(), true)
	if err != nil {
		return out, err
	}
	out.TabID = tab.TabID
	out.State, err = s.service.Record(ctx, protocol.RecordControl{TabID: tab.TabID, Do: p.Do, Name: p.Name})
	return out, err
}
