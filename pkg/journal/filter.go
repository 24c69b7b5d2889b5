package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// Filter selects records. Its members combine; the zero value selects all records.
// With Failed it selects whole calls, and the other members apply to the end of each.
type Filter struct {
	Since   time.Time `json:"since,omitzero"`   // at or after
	Until   time.Time `json:"until,omitzero"`   // before
	Session string    `json:"session,omitzero"` // the whole id
	Types   []string  `json:"types,omitzero"`   // any of them
	Name    string    `json:"name,omitzero"`    // of a primitive or of a stored action; with the wildcards * and ?
	CallID  string    `json:"call_id,omitzero"`
	TabID   int       `json:"tab_id,omitzero"`
	// Origin is a host, which includes its subdomains and all ports, a
	// host:port, or a pattern of origins such as https://*.example.com.
	Origin string `json:"origin,omitzero"`
	// Failed selects the calls that failed, each with its intent, its steps and its
	// end in a row. Name finds them by the name of the step that failed, too.
	Failed bool `json:"failed,omitzero"`
}

// Types returns the types that a record can have.
func Types() []string {
	return []string{TypeSessionStarted, TypeSessionNamed, TypeSessionEnded, TypeIntent, TypeOutcome, TypeClaim, TypeRelease,
		TypeRuntime, TypeHandshake, TypePolicy, TypeDOMEvent, TypePageTool, TypeLifecycle, TypeRecovered, TypeInterrupted, TypeDamaged}
}

// Check returns what is wrong with a filter, as invalid_arguments.
func (f Filter) Check() error {
	for _, t := range f.Types {
		if !slices.Contains(Types(), t) {
			return refused("there are no records of type %q", t).WithNextStep("Use one of " + strings.Join(Types(), ", ") + ".")
		}
	}
	if _, err := path.Match(f.Name, ""); err != nil {
		return refused("%q is no pattern of names", f.Name).
			WithNextStep("Write a name with * for any signs and ? for one, as in locator.* or teahouse.order; a [ needs its ].")
	}
	if _, _, err := splitPlace(f.Origin); err != nil {
		return refused("%q is no site: %s", f.Origin, fault.From(err).Message).
			WithNextStep("Write a host (example.com, its subdomains are meant too), a host with a port (localhost:8080) or an origin (https://example.com).")
	}
	if f.TabID < 0 {
		return refused("%d is no tab", f.TabID).WithNextStep("A tab's id is above zero; actions-host tabs lists them.")
	}
	return nil
}

func refused(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidArguments, format, args...).WithDispatched(fault.NotDispatched)
}

// splitPlace reads the origin of a filter: a pattern, or an origin for
// a host, without a port where none is asked for.
func splitPlace(text string) (pattern string, host origin.Origin, err error) {
	if text == "" || strings.Contains(text, "://") {
		if text != "" {
			err = origin.CheckPattern(text)
		}
		return text, origin.Origin{}, err
	}
	// The default port of http is never written; here it means any port.
	host, err = origin.Parse("http://" + text)
	if err == nil && strings.ContainsAny(text, "/?#@\\") {
		err = fault.New(fault.InvalidInput, "it ends with the host or its port, without a path")
	}
	if host.Port == 80 {
		host.Port = 0
	}
	return "", host, err
}

// matcher is a filter ready for use.
type matcher struct {
	Filter
	pattern string
	host    origin.Origin
	session []byte
	tab     []byte // the member that names the tab; nil: any

	// For the ends of failed calls: the rest of the filter, the same without the
	// name, and its members for time and for target.
	base, anyName, byTime, byTarget *matcher
}

func newMatcher(f Filter) (*matcher, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	m := &matcher{Filter: f, session: []byte(f.Session)}
	if f.TabID != 0 {
		m.tab = fmt.Appendf(nil, `"tab_id":%d`, f.TabID)
	}
	m.pattern, m.host, _ = splitPlace(f.Origin) // Check has read it
	if f.Failed {
		m.base = m.modified(func(f *Filter) { f.Failed = false })
		m.anyName = m.base.modified(func(f *Filter) { f.Name = "" })
		m.byTime = m.base.modified(func(f *Filter) { f.Name, f.TabID, f.Origin = "", 0, "" })
		m.byTarget = m.base.modified(func(f *Filter) { f.Since, f.Until, f.Types = time.Time{}, time.Time{}, nil })
	}
	return m, nil
}

// modified returns a matcher of the filter after a change that clears members.
func (m *matcher) modified(change func(*Filter)) *matcher {
	other := *m
	change(&other.Filter)
	if other.TabID == 0 {
		other.tab = nil
	}
	if other.Origin == "" {
		other.host = origin.Origin{}
	}
	return &other
}

// matches reports whether a stored record is meant: with Failed, whether a call is
// matches that ends with it.
func (m *matcher) matches(tx *bbolt.Tx, key, value []byte) bool {
	if m.Failed {
		return m.failedEnd(tx, key, value)
	}
	return m.matchRecord(key, value)
}

// All reports whether every record is selected.
func (f Filter) All() bool { return !f.Failed && f.matchesAll() }

// matchesAll is All whatever Failed says.
func (f Filter) matchesAll() bool {
	return f.Since.IsZero() && f.Until.IsZero() && f.Session == "" && len(f.Types) == 0 && f.Name == "" &&
		f.CallID == "" && f.TabID == 0 && f.Origin == ""
}

// matchRecord reports whether a stored record is selected. Its head is compared first:
// most records that are not selected are never decoded.
func (m *matcher) matchRecord(key, value []byte) bool {
	if m.matchesAll() {
		return true
	}
	h, ok := peek(value)
	if !ok {
		// Damaged: selected only by a filter for such records or for no kind in
		// particular.
		return slices.Contains(m.Types, TypeDamaged) || len(m.Types) == 0 && m.Session == "" && m.Name == "" && m.CallID == "" && m.TabID == 0 && m.Origin == ""
	}
	switch {
	case !m.Since.IsZero() && h.at.Before(m.Since), !m.Until.IsZero() && !h.at.Before(m.Until):
		return false
	case m.Session != "" && !bytes.Equal(h.session, m.session):
		return false
	case m.CallID != "" && string(h.callID) != m.CallID:
		return false
	case len(m.Types) > 0 && !slices.Contains(m.Types, string(h.kind)):
		return false
	}
	named := m.Name == "" || m.matchesName(string(h.name))
	if named && m.TabID == 0 && m.Origin == "" {
		return true
	}
	return m.mayBelong(value) && m.matchData(decode(key, value, digest{}).Data, named)
}

// mayBelong reports whether a stored record can be of the selected tab and site. The
// bytes alone rule out almost every record of others.
func (m *matcher) mayBelong(value []byte) bool {
	return (m.host.Host == "" || bytes.Contains(value, []byte(m.host.Host))) && (m.tab == nil || bytes.Contains(value, m.tab))
}

func (m *matcher) matchesName(name string) bool {
	ok, err := path.Match(m.Name, name)
	return err == nil && ok
}

// matchData compares the members that name the tab, the site and the action.
func (m *matcher) matchData(raw json.RawMessage, named bool) bool {
	var data Outcome
	// Data of another form has members of other types; those that fit are set.
	_ = json.Unmarshal(raw, &data)
	if !named && !m.matchesName(data.ActionName()) {
		return false
	}
	if m.TabID != 0 && data.TabID != m.TabID {
		return false
	}
	return m.Origin == "" || m.matchesOrigin(data.URL) || m.matchesOrigin(data.Origin)
}

// matchesOrigin reports whether an address belongs to the filter's origin.
func (m *matcher) matchesOrigin(url string) bool {
	at, err := origin.Parse(url)
	switch {
	case err != nil:
		return false
	case m.pattern != "":
		return origin.Allowed([]string{m.pattern}, at.String())
	default:
		return (m.host.Port == 0 || m.host.Port == at.Port) && origin.MatchHost(at.Host, m.host.Host)
	}
}
