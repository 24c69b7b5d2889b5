package journal

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// Filter says which records are meant. Its members combine; the zero value
// means all records.
type Filter struct {
	Since   time.Time `json:"since,omitzero"`   // at or after
	Until   time.Time `json:"until,omitzero"`   // before
	Session string    `json:"session,omitzero"` // the whole id
	Types   []string  `json:"types,omitzero"`   // any of them
	Name    string    `json:"name,omitzero"`    // of a primitive or of a stored action; * and ? stand for any signs
	CallID  string    `json:"call_id,omitzero"`
	TabID   int       `json:"tab_id,omitzero"`
	// Origin is a host, which stands for its subdomains and all ports too, a
	// host:port, or a pattern of origins such as https://*.example.com.
	Origin string `json:"origin,omitzero"`
}

// Types lists the types that a record can have.
func Types() []string {
	return []string{TypeSessionStarted, TypeSessionNamed, TypeSessionEnded, TypeIntent, TypeOutcome, TypeClaim, TypeRelease,
		TypeRuntime, TypeHandshake, TypePolicy, TypeDOMEvent, TypePageTool, TypeLifecycle, TypeRecovered, TypeInterrupted, TypeDamaged}
}

// Check tells what is wrong with a filter, as invalid_arguments.
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

// splitPlace reads the origin of a filter: a pattern, or the origin that stands
// for a host, without a port where none is asked for.
func splitPlace(text string) (pattern string, host origin.Origin, err error) {
	if text == "" || strings.Contains(text, "://") {
		if text != "" {
			err = origin.CheckPattern(text)
		}
		return text, origin.Origin{}, err
	}
	// http's own port is the one that nobody writes; it stands for any port.
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
}

func newMatcher(f Filter) (*matcher, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	m := &matcher{Filter: f, session: []byte(f.Session)}
	m.pattern, m.host, _ = splitPlace(f.Origin) // Check has read it
	return m, nil
}

// all tells whether every record is meant.
func (m *matcher) all() bool {
	return m.Since.IsZero() && m.Until.IsZero() && m.Session == "" && len(m.Types) == 0 && m.Name == "" &&
		m.CallID == "" && m.TabID == 0 && m.Origin == ""
}

// match tells whether a stored record is meant. What its head tells is looked
// at first: most records that are not meant are never decoded.
func (m *matcher) match(key, value []byte) bool {
	if m.all() {
		return true
	}
	h, ok := peek(value)
	if !ok {
		// Damaged: only who asks for such records, or for no kind in particular,
		// wants to see it.
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
	named := m.Name == "" || m.names(string(h.name))
	if named && m.TabID == 0 && m.Origin == "" {
		return true
	}
	return m.matchData(decode(key, value, digest{}).Data, named)
}

func (m *matcher) names(name string) bool {
	ok, err := path.Match(m.Name, name)
	return err == nil && ok
}

// matchData looks at the members that say where the record belongs.
func (m *matcher) matchData(raw json.RawMessage, named bool) bool {
	if m.host.Host != "" && !bytes.Contains(raw, []byte(m.host.Host)) {
		return false // almost every record of another site
	}
	var data struct {
		Action    string `json:"action"`
		Arguments struct {
			Action string `json:"action"`
		} `json:"arguments"`
		TabID  int    `json:"tab_id"`
		URL    string `json:"url"`
		Origin string `json:"origin"`
	}
	// Data of another form has members of other types; those that fit are set.
	_ = json.Unmarshal(raw, &data)
	if !named && !m.names(data.Action) && (data.Arguments.Action == "" || !m.names(data.Arguments.Action)) {
		return false
	}
	if m.TabID != 0 && data.TabID != m.TabID {
		return false
	}
	return m.Origin == "" || m.at(data.URL) || m.at(data.Origin)
}

// at tells whether an address belongs to the filter's origin.
func (m *matcher) at(url string) bool {
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
