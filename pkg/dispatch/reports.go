package dispatch

import "github.com/actionsjson/actions-host/pkg/policy"

// givenReport is the report of a direct call, and the earlier call that it was given
// with, empty for the call itself.
type givenReport struct {
	*policy.Report
	call string
}

// own returns the report that the call itself brought, nil for none.
func (g givenReport) own() *policy.Report {
	if g.call != "" {
		return nil
	}
	return g.Report.Shortened()
}

// reportKey is what a kept report holds for. A report about one kind, effect or origin
// says nothing about another.
type reportKey struct {
	origin, effect, kind string
}

// keepsReports reports whether a report holds for later calls of the session, too. It does
// for coding agents, whose requests would otherwise repeat it all the time, and only where
// there is a page for which it can hold.
func (in *invocation) keepsReports(origin string) bool {
	return in.session.SessionKind == policy.SessionMCP && in.parent == nil && origin != ""
}

func (in *invocation) reportKey(origin string) reportKey {
	return reportKey{origin, in.record.Effect, policy.ReportKind(in.record.CapabilityClass, policy.Effect(in.record.Effect))}
}

// borrowReport sets, for a call without a report, the one that an earlier call of the session
// was allowed with. One that was borrowed for another origin no longer counts.
func (in *invocation) borrowReport(origin string) {
	if in.report.call != "" {
		in.report = givenReport{}
	}
	if in.report.Report != nil || !in.keepsReports(origin) {
		return
	}
	in.session.mu.Lock()
	defer in.session.mu.Unlock()
	in.report = in.session.reports[in.reportKey(origin)]
}

// keepReport keeps the report of a call that was allowed.
func (in *invocation) keepReport(origin string) {
	if in.report.own() == nil || !in.keepsReports(origin) {
		return
	}
	in.session.mu.Lock()
	defer in.session.mu.Unlock()
	if in.session.reports == nil {
		in.session.reports = map[reportKey]givenReport{}
	}
	in.session.reports[in.reportKey(origin)] = givenReport{in.report.Report, in.id}
}
