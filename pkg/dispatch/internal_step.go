package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// InternalStep runs an internal primitive as a step of the primitive of the context, whose
// effect it has; in a context of [Dispatcher.OnlyLook], any that only reads or shows. It is decided anew for the page of this moment; on the origin for which that
// primitive was allowed the user is not asked again.
func (d *Dispatcher) InternalStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	parent := scopeOf(ctx)
	record, ok := d.Catalogue.Record(name)
	if parent == nil || !ok || record.Effect != parent.record.Effect && !(parent.onlyLook && onlyShows(record)) {
		return nil, fault.New(fault.InternalError, "%s cannot be a step here", name).WithDispatched(fault.NotDispatched)
	}
	checked, err := parse(args)
	if err != nil {
		return nil, err
	}
	return d.process(ctx, invocation{
		id: "call_" + rand.Text(), record: record, session: parent.session, parent: parent,
		target: tabs.Target{TabID: parent.tabID}, args: checked.Raw(), meta: &primitive.Meta{}, texts: parent.texts,
		covered: record.Effect == parent.record.Effect,
	})
}

// onlyShows reports whether a primitive does no more than to read and to show.
func onlyShows(r *primitive.Record) bool {
	return r.Effect == string(policy.EffectRead) || r.Effect == string(policy.EffectView)
}
