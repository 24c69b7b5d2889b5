package policyfile

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// checker makes rules of a document.
type checker struct {
	rules     *policy.FileRules
	positions map[string]jsonnode.Position
	patterns  int
}

func (c *checker) line(pointer string) int { return c.positions[pointer].Line }

func (c *checker) invalid(pointer, format string, args ...any) *fault.Error {
	return invalid(c.rules.Path, c.line(pointer), format, args...)
}

func (c *checker) effects(d document) error {
	for i, effect := range d.AskEffects {
		at := "/ask_effects/" + strconv.Itoa(i)
		switch {
		case !slices.Contains(policy.Effects, effect):
			return c.invalid(at, "there is no effect %q; the effects are %v", effect, policy.Effects)
		case slices.Contains(d.AskEffects[:i], effect):
			return c.invalid(at, "the effect %s stands twice", effect)
		}
		c.rules.Ask = append(c.rules.Ask, policy.AskRule{Effect: effect, Line: c.line(at)})
	}
	return nil
}

func (c *checker) origins(d document) (err error) {
	if c.rules.Allow, err = c.entries("/allow", d.Allow); err != nil {
		return err
	}
	c.rules.Deny, err = c.entries("/deny", d.Deny)
	return err
}

func (c *checker) entries(under string, entries []entry) (rules []policy.OriginRule, err error) {
	for i, e := range entries {
		at := under + "/" + strconv.Itoa(i)
		if err := c.sessions(at, e); err != nil {
			return nil, err
		}
		if len(e.Origins) == 0 {
			return nil, c.invalid(at, "origins names no pattern")
		}
		if utf8.RuneCountInString(e.Reason) > maxReason {
			return nil, c.invalid(at+"/reason", "the reason is longer than %d characters", maxReason)
		}
		for j, text := range e.Origins {
			place := at + "/origins/" + strconv.Itoa(j)
			pattern, err := origin.ParsePattern(text)
			if err != nil {
				f := fault.From(err)
				return nil, c.invalid(place, "%s", f.Message).WithNextStep(f.NextStep)
			}
			if c.patterns++; c.patterns > maxPatterns {
				return nil, c.invalid(place, "the file has more than %d patterns", maxPatterns)
			}
			rules = append(rules, policy.OriginRule{Pattern: pattern, Text: text, Sessions: e.Sessions, Reason: e.Reason, Line: c.line(place)})
		}
	}
	return rules, nil
}

func (c *checker) sessions(at string, e entry) error {
	if e.Sessions != nil && len(e.Sessions) == 0 {
		return c.invalid(at+"/sessions", "sessions names no kind").WithNextStep("Leave sessions out where all kinds are meant.")
	}
	for i, kind := range e.Sessions {
		place := at + "/sessions/" + strconv.Itoa(i)
		switch {
		case !slices.Contains(policy.SessionKinds, kind):
			return c.invalid(place, "there is no kind of session %q; the kinds are %v", kind, policy.SessionKinds)
		case slices.Contains(e.Sessions[:i], kind):
			return c.invalid(place, "the kind %s stands twice", kind)
		}
	}
	return nil
}

func (c *checker) folders(d document) error {
	for i, folder := range d.UploadFolders {
		if !filepath.IsAbs(folder) {
			return c.invalid("/upload_folders/"+strconv.Itoa(i), "%q is not an absolute path", folder)
		}
	}
	c.rules.UploadFolders = d.UploadFolders
	return nil
}

func (c *checker) networks(d document) error {
	for i, text := range d.PrivateNetworks {
		network, ok := parseNetwork(text)
		if !ok {
			return c.invalid("/private_networks/"+strconv.Itoa(i), "%q is neither an address nor a network, such as 192.168.1.0/24", text)
		}
		c.rules.PrivateNetworks = append(c.rules.PrivateNetworks, network)
	}
	return nil
}

func parseNetwork(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), addr.Zone() == ""
	}
	network, err := netip.ParsePrefix(text)
	return network, err == nil
}

// contradiction returns the error for an origin that is allowed where another line denies it
// to the same kind of session: one of the two lines does not say what its author thinks.
func contradiction(rules *policy.FileRules) error {
	for _, allowed := range rules.Allow {
		for _, denied := range rules.Deny {
			kind, common := commonKind(allowed, denied)
			if common && denied.Pattern.Covers(allowed.Pattern) {
				return invalid(rules.Path, max(allowed.Line, denied.Line), "%s is allowed in line %d and denied by %s in line %d, both for %s",
					allowed.Text, allowed.Line, denied.Text, denied.Line, kind).
					WithNextStep("Remove one of the two lines, or name other kinds of sessions in one.")
			}
		}
	}
	return nil
}

func commonKind(a, b policy.OriginRule) (policy.SessionKind, bool) {
	for _, kind := range policy.SessionKinds {
		if a.For(kind) && b.For(kind) {
			return kind, true
		}
	}
	return "", false
}
