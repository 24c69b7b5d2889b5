// Package callpath gives a test the real parts below a dispatcher: the catalogue,
// the policy, a journal on disk and a registry with claimed tabs.
package callpath

import (
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Stages are what a dispatcher is made of, but for its handlers.
type Stages struct {
	Catalogue *primitive.Catalogue
	Tabs      *tabs.Registry
	Policy    *policy.Engine
	Approvals *policy.Approvals
	Journal   *journal.Journal
}

// Example is a claimed tab at https://example.com/.
var Example = tabs.Tab{TabID: 1, URL: "https://example.com/", RuntimeID: "r1"}

// New makes the parts of a profile whose user has handed over these tabs.
func New(t testing.TB, profile string, claimed ...tabs.Tab) Stages {
	t.Helper()
	log, err := journal.Open(filepath.Join(t.TempDir(), "j.db"), journal.Options{})
	check(t, err)
	t.Cleanup(func() { log.Close() })
	registry, err := tabs.Open(log.Bolt())
	check(t, err)
	_, err = registry.Begin(profile, "s", nil)
	check(t, err)
	for _, tab := range claimed {
		check(t, registry.Claim(tab))
	}
	engine, err := policy.New(nil, nil)
	check(t, err)
	return Stages{primitive.Load(), registry, engine, policy.NewApprovals(engine), log}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Asking is a policy file that has the effects asked for.
func Asking(effects ...policy.Effect) func() *policy.FileRules {
	rules := &policy.FileRules{Path: "policy.json"}
	for _, effect := range effects {
		rules.Ask = append(rules.Ask, policy.AskRule{Effect: effect, Line: 1})
	}
	return func() *policy.FileRules { return rules }
}
