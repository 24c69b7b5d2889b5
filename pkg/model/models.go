package model

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

const (
	listenTimeout   = 300 * time.Millisecond // a loopback server answers at once
	discoverTimeout = 2 * time.Second
	maxDiscovered   = 1 << 20 // bytes of a server's list of models
)

// Models are the models that the user can use.
type Models struct {
	config    config
	providers []provider
	transport http.RoundTripper

	learned sync.Map // of a model's name: what its service refused
}

var _ Stepper = (*Models)(nil)

// Open reads models.json. It asks no service and no keychain.
func Open() (*Models, error) {
	c, err := readConfig()
	if err != nil {
		return nil, err
	}
	providers, err := providersOf(c)
	if err != nil {
		return nil, err
	}
	return &Models{config: c, providers: providers}, nil
}

// candidate is a model that can be asked.
type candidate struct {
	provider provider
	entry    modelEntry
	key      string
	info     Info
}

// Default returns what models.json names as default: "auto" or provider/model.
func (m *Models) Default() string { return m.config.Default }

// Describe returns what is known of the model that "auto" or a name stands for now.
func (m *Models) Describe(ctx context.Context, name string) (Info, error) {
	all, err := m.candidates(ctx, name)
	if err != nil {
		return Info{}, err
	}
	first := all[0]
	if !first.info.Ready { // a name, for which only a key was looked for
		first.info.Ready = !first.provider.onThisMachine() || listens(ctx, first.provider.base)
	}
	return first.info, nil
}

// List returns the models in the order in which "auto" tries their providers: it takes the
// first of each that is ready. A provider without one is listed by an Info without a model.
func (m *Models) List(ctx context.Context) []Info {
	var all []Info
	for _, s := range m.states(ctx) {
		if len(s.models) == 0 {
			all = append(all, Info{Name: s.provider.name, Provider: s.provider.name, Base: s.provider.base, Missing: s.missing})
		}
		for _, entry := range s.models {
			info := infoOf(s.provider, entry)
			info.Ready, info.Missing = s.missing == "", s.missing
			all = append(all, info)
		}
	}
	return all
}

// state is a provider as it is now.
type state struct {
	provider provider
	models   []modelEntry
	key      string
	missing  string // what it lacks; empty if it is ready
	err      error
}

// states asks for the keys, and loopback servers whether they listen, all at once.
func (m *Models) states(ctx context.Context) []state {
	all := make([]state, len(m.providers))
	var wait sync.WaitGroup
	for i, p := range m.providers {
		wait.Go(func() { all[i] = m.stateOf(ctx, p) })
	}
	wait.Wait()
	return all
}

func (m *Models) stateOf(ctx context.Context, p provider) state {
	s := state{provider: p, models: p.models}
	s.key, _, s.err = key.Get(p.name)
	if fault.Is(s.err, fault.ModelKeyMissing) && p.onThisMachine() {
		s.err = nil
	}
	switch {
	case s.err != nil:
		s.missing = "no key"
	case !p.onThisMachine():
	case !listens(ctx, p.base):
		s.missing = "not listening"
	case len(s.models) == 0:
		if s.models = m.discover(ctx, p, s.key); len(s.models) == 0 {
			s.missing = "names no model"
		}
	}
	return s
}

func listens(ctx context.Context, base string) bool {
	address, err := url.Parse(base)
	if err != nil {
		return false
	}
	port := address.Port()
	if port == "" {
		port = address.Scheme
	}
	dialer := net.Dialer{Timeout: listenTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address.Hostname(), port))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// discover asks a server on this machine for its models.
func (m *Models) discover(ctx context.Context, p provider, secret string) []modelEntry {
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(p.base, "/")+"/models", nil)
	if err != nil {
		return nil
	}
	if secret != "" {
		request.Header.Set("Authorization", "Bearer "+secret)
	}
	response, err := (&http.Client{Transport: m.base(), CheckRedirect: refuseRedirect}).Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDiscovered))
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err != nil || response.StatusCode != http.StatusOK || strictjson.DecodeOpen(text, &list, strictjson.Limits{MaxBytes: maxDiscovered}) != nil {
		return nil
	}
	var models []modelEntry
	for _, one := range list.Data {
		if entry := (modelEntry{ID: one.ID}); len(models) < maxEntries && checkModel("", entry, map[string]bool{}) == nil {
			models = append(models, entry)
		}
	}
	return models
}

// candidates returns the models that a name stands for, in the order in which they are tried.
func (m *Models) candidates(ctx context.Context, name string) ([]candidate, error) {
	name = strings.TrimSpace(name)
	if name == "" || strings.EqualFold(name, Auto) {
		name = m.config.Default
	}
	if name == Auto {
		return m.ready(ctx)
	}
	head, _, _ := strings.Cut(name, "/")
	if commandLine(head) {
		return nil, fault.New(fault.ModelNotFound, "%.80q is a command-line program; those are not run as models", name).
			WithNextStep("Use the provider's own address with a key, or a server on this machine: actions-host models list.")
	}
	providerName, id, err := splitName(name)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(m.providers, func(p provider) bool { return p.name == providerName })
	if at < 0 {
		return nil, fault.New(fault.ModelNotFound, "there is no provider %q; there are %s", providerName, strings.Join(m.providerNames(), ", ")).
			With("tried", []string{name})
	}
	p := m.providers[at]
	one := candidate{provider: p, entry: modelEntry{ID: id, Context: syntheticContext}}
	synthetic := true
	if known := slices.IndexFunc(p.models, func(e modelEntry) bool { return e.ID == id }); known >= 0 {
		one.entry, synthetic = p.models[known], false
	}
	one.info = infoOf(p, one.entry)
	one.info.Synthetic = synthetic
	if one.key, _, err = key.Get(p.name); err != nil && !(p.onThisMachine() && fault.Is(err, fault.ModelKeyMissing)) {
		return nil, err
	}
	return []candidate{one}, nil
}

// ready returns the first model of each provider that is ready.
func (m *Models) ready(ctx context.Context) ([]candidate, error) {
	var all []candidate
	var tried []string
	for _, s := range m.states(ctx) {
		if s.missing != "" {
			tried = append(tried, s.provider.name+": "+s.missing)
			continue
		}
		one := candidate{provider: s.provider, entry: s.models[0], key: s.key, info: infoOf(s.provider, s.models[0])}
		one.info.Ready = true
		one.info.Synthetic = len(s.provider.models) == 0
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, fault.New(fault.ModelNotFound, "no model is ready (%s)", strings.Join(tried, "; ")).With("tried", tried).
			WithNextStep("Run actions-host key set --provider NAME, or start a server on this machine such as ollama; actions-host models list shows what is ready.")
	}
	return all, nil
}

func (m *Models) providerNames() []string {
	var names []string
	for _, p := range m.providers {
		names = append(names, p.name)
	}
	return names
}

func infoOf(p provider, e modelEntry) Info {
	info := Info{
		Name: p.name + "/" + e.ID, Provider: p.name, Context: e.Context, Images: e.Images, Price: e.Price, Base: p.base, OnThisMachine: p.onThisMachine(),
	}
	if info.Context == 0 {
		info.Context = syntheticContext
	}
	return info
}

// jsonOr returns the text if it is a JSON object, else the other.
func jsonOr(text, other json.RawMessage) json.RawMessage {
	if value, err := strictjson.Canonical(text, strictjson.Limits{}); err == nil && len(value) > 0 && value[0] == '{' {
		return value
	}
	return other
}
