package model

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// FileName is the file in the user's data folder that says which models there are.
const FileName = "models.json"

// Auto is the name that stands for the first model that is ready.
const Auto = "auto"

// Bounds of a request and of the file.
const (
	DefaultOutputTokens = 2048
	MaxOutputTokens     = 32768

	// thinkingTokens is what a model that thinks may write beside its answer: services count both as one.
	thinkingTokens = 16_000

	maxFile    = 1 << 20
	maxEntries = 200
	maxContext = 100_000_000
	maxID      = 200
)

// config is the file.
type config struct {
	Default         string                   `json:"default,omitzero"`
	MaxOutputTokens int                      `json:"max_output_tokens,omitzero"`
	Providers       map[string]providerEntry `json:"providers,omitzero"`
}

// providerEntry is a provider in the file.
type providerEntry struct {
	Base   string       `json:"base,omitzero"`
	API    API          `json:"api,omitzero"`
	Models []modelEntry `json:"models,omitzero"`
}

// readConfig reads the file; a missing one is empty.
func readConfig() (config, error) {
	path := filepath.Join(paths.Data(), FileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return parseConfig([]byte("{}"))
	}
	if err != nil {
		return config{}, fault.Wrap(err, fault.StorageUnavailable, "%s cannot be read", path)
	}
	c, err := parseConfig(text)
	if err != nil {
		f := fault.From(err)
		return config{}, fault.Wrap(err, f.Code, "%s: %s", path, f.Message).WithNextStep(f.NextStep)
	}
	return c, nil
}

// parseConfig reads the text of the file; an error names the member.
func parseConfig(text []byte) (config, error) {
	var c config
	if err := strictjson.Decode(text, &c, strictjson.Limits{MaxBytes: maxFile}); err != nil {
		return config{}, fault.Wrap(err, fault.InvalidInput, "%s", fault.From(err).Message).
			WithNextStep("Correct the file; its members are default, max_output_tokens and providers.")
	}
	if c.Default == "" {
		c.Default = Auto
	}
	if c.MaxOutputTokens == 0 {
		c.MaxOutputTokens = DefaultOutputTokens
	}
	if c.Default != Auto {
		if _, _, err := splitName(c.Default); err != nil {
			return config{}, wrong("default", "must be auto or provider/model")
		}
	}
	if c.MaxOutputTokens < 1 || c.MaxOutputTokens > MaxOutputTokens {
		return config{}, wrong("max_output_tokens", "must be 1 to 32768")
	}
	if len(c.Providers) > maxEntries {
		return config{}, wrong("providers", "has more than 200 members")
	}
	for _, name := range sortedNames(c.Providers) {
		if err := checkProvider(name, c.Providers[name]); err != nil {
			return config{}, err
		}
	}
	return c, nil
}

func checkProvider(name string, p providerEntry) error {
	where := "providers." + name
	switch {
	case !key.Valid(name):
		return wrong("providers", "has a name that is not of small letters, digits and hyphens")
	case commandLine(name):
		return wrong(where, "is a command-line program; those are not run as models")
	case p.API != "" && p.API != ChatAPI && p.API != ResponsesAPI && p.API != MessagesAPI:
		return wrong(where+".api", "must be chat, responses or messages")
	case len(p.Models) > maxEntries:
		return wrong(where+".models", "has more than 200 members")
	case p.Base == "" && !slices.ContainsFunc(builtIn, func(b provider) bool { return b.name == name }) && os.Getenv(BaseEnvironment(name)) == "":
		return wrong(where+".base", "is missing: the provider is not a built-in one")
	}
	if p.Base != "" {
		if err := checkBase(p.Base, where+".base"); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, m := range p.Models {
		if err := checkModel(where+".models", m, seen); err != nil {
			return err
		}
	}
	return nil
}

func checkModel(where string, m modelEntry, seen map[string]bool) error {
	switch {
	case m.ID == "" || len(m.ID) > maxID || strings.ContainsFunc(m.ID, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return wrong(where, "has a model whose id is not a name")
	case seen[m.ID]:
		return wrong(where, "has the same id twice")
	case m.Context < 0 || m.Context > maxContext:
		return wrong(where+".context", "must be a number of tokens")
	case m.Price != nil && min(m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite) < 0:
		return wrong(where+".price", "must not be negative")
	}
	seen[m.ID] = true
	return nil
}

func wrong(member, why string) error {
	return fault.New(fault.InvalidInput, "%s %s", member, why).
		With("member", member).WithNextStep("Correct " + member + " in " + FileName + ".")
}

// splitName splits provider/model at the first slash.
func splitName(name string) (provider, id string, err error) {
	provider, id, found := strings.Cut(name, "/")
	if !found || id == "" || len(id) > maxID || !key.Valid(provider) {
		return "", "", fault.New(fault.ModelNotFound, "%.80q does not name a model", name)
	}
	return provider, id, nil
}

// commandLine reports whether the provider's name stands for a program of the command line.
func commandLine(provider string) bool {
	return slices.Contains([]string{"cli", "claude-code", "codex", "gemini-cli", "aider"}, provider)
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
