package model

import (
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// API is a wire format.
type API string

// The wire formats, as models.json names them.
const (
	ChatAPI      API = "chat"      // Chat Completions
	ResponsesAPI API = "responses" // Responses
	MessagesAPI  API = "messages"  // Messages
)

// Price is in US dollars a million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read,omitzero"`
	CacheWrite float64 `json:"cache_write,omitzero"`
}

// Cost returns what the tokens cost in US dollars.
func (p Price) Cost(u Usage) float64 {
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / 1e6
}

// DearestPrice returns the highest of all known prices, for a model whose price is not known:
// so a spending limit holds.
func DearestPrice() Price {
	var most Price
	for _, p := range builtIn {
		for _, m := range p.models {
			if of := m.Price; of != nil {
				most = Price{Input: max(most.Input, of.Input), Output: max(most.Output, of.Output), CacheRead: max(most.CacheRead, of.CacheRead), CacheWrite: max(most.CacheWrite, of.CacheWrite)}
			}
		}
	}
	return most
}

// provider is a service with its models; the first one is that of "auto".
type provider struct {
	name   string
	base   string
	api    API
	models []modelEntry
}

// modelEntry is a model as models.json has it.
type modelEntry struct {
	ID      string `json:"id"`
	Context int    `json:"context,omitzero"`
	Images  bool   `json:"images,omitzero"`
	// Tools is false where the service has no format for tool calls: they are written as text.
	Tools *bool `json:"tools,omitzero"`
	// Temperature is false where the model takes none.
	Temperature *bool `json:"temperature,omitzero"`
	// Thinks is true where the model thinks unasked and its thoughts count as output.
	Thinks bool   `json:"thinks,omitzero"`
	Price  *Price `json:"price,omitzero"`
}

// syntheticContext is the context in tokens of a model that is in no table.
const syntheticContext = 32768

var no = new(bool)

// builtIn are the providers that need no models.json, in the order of "auto".
var builtIn = []provider{
	{"openai", "https://api.openai.com/v1", ResponsesAPI, []modelEntry{
		{ID: "gpt-5-mini", Context: 400_000, Images: true, Temperature: no, Thinks: true, Price: &Price{Input: 0.25, Output: 2, CacheRead: 0.025}},
		{ID: "gpt-5", Context: 400_000, Images: true, Temperature: no, Thinks: true, Price: &Price{Input: 1.25, Output: 10, CacheRead: 0.125}},
		{ID: "gpt-4.1", Context: 1_000_000, Images: true, Price: &Price{Input: 2, Output: 8, CacheRead: 0.5}},
	}},
	{"anthropic", "https://api.anthropic.com", MessagesAPI, []modelEntry{
		{ID: "claude-sonnet-4-5", Context: 200_000, Images: true, Price: &Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}},
		{ID: "claude-haiku-4-5", Context: 200_000, Images: true, Price: &Price{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25}},
	}},
	{"google", "https://generativelanguage.googleapis.com/v1beta/openai", ChatAPI, []modelEntry{
		{ID: "gemini-2.5-flash", Context: 1_000_000, Images: true, Thinks: true, Price: &Price{Input: 0.3, Output: 2.5, CacheRead: 0.03}},
		{ID: "gemini-2.5-pro", Context: 1_000_000, Images: true, Thinks: true, Price: &Price{Input: 1.25, Output: 10, CacheRead: 0.125}},
	}},
	{"xai", "https://api.x.ai/v1", ChatAPI, []modelEntry{
		{ID: "grok-4", Context: 256_000, Images: true, Thinks: true, Price: &Price{Input: 3, Output: 15, CacheRead: 0.75}},
	}},
	{"zai", "https://api.z.ai/api/paas/v4", ChatAPI, []modelEntry{
		{ID: "glm-4.6", Context: 200_000, Thinks: true, Price: &Price{Input: 0.6, Output: 2.2, CacheRead: 0.11}},
	}},
	{"openrouter", "https://openrouter.ai/api/v1", ChatAPI, []modelEntry{{ID: "openrouter/auto", Context: 128_000}}},
	{"ollama", "http://127.0.0.1:11434/v1", ChatAPI, nil},
	{"llamacpp", "http://127.0.0.1:8080/v1", ChatAPI, nil},
	{"lmstudio", "http://127.0.0.1:1234/v1", ChatAPI, nil},
}

// onThisMachine reports whether the provider's address is a loopback one.
func (p *provider) onThisMachine() bool {
	address, err := url.Parse(p.base)
	return err == nil && loopback(address.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkBase checks the address of a service; where says where it was written.
func checkBase(base, where string) error {
	address, err := url.Parse(base)
	if err != nil || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return fault.New(fault.InvalidInput, "%s is not the address of a service", where).
			WithNextStep("Write it like https://api.example.com/v1, without name, password or query.")
	}
	if address.Scheme != "https" && !(address.Scheme == "http" && loopback(address.Hostname())) {
		return fault.New(fault.UnsafeURL, "%s must be https, except on this machine", where).
			WithNextStep("Write https, or reach the service over a loopback address.")
	}
	return nil
}

// BaseEnvironment returns the variable that holds a provider's address.
func BaseEnvironment(provider string) string {
	return "ACTIONS_HOST_" + strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_BASE"
}

// providersOf returns the built-in providers and those of the file, which has the last word.
func providersOf(c config) ([]provider, error) {
	all := slices.Clone(builtIn)
	for _, name := range sortedNames(c.Providers) {
		entry := c.Providers[name]
		at := slices.IndexFunc(all, func(p provider) bool { return p.name == name })
		if at < 0 {
			at = len(all)
			all = append(all, provider{name: name, api: ChatAPI})
		}
		p := &all[at]
		if entry.API != "" {
			p.api = entry.API
		}
		if entry.Models != nil {
			p.models = entry.Models
		}
		p.base = entry.Base // empty: that of the environment or the built-in one
	}
	for i := range all {
		p := &all[i]
		if p.base != "" && c.Providers[p.name].Base != "" {
			continue
		}
		if base := strings.TrimSpace(os.Getenv(BaseEnvironment(p.name))); base != "" {
			if err := checkBase(base, BaseEnvironment(p.name)); err != nil {
				return nil, err
			}
			p.base = base
			continue
		}
		if at := slices.IndexFunc(builtIn, func(b provider) bool { return b.name == p.name }); at >= 0 {
			p.base = builtIn[at].base
		}
	}
	return slices.DeleteFunc(all, func(p provider) bool { return p.base == "" }), nil
}
