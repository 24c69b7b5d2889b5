package site

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// The page's halves of the overlay primitives.
const (
	renderPrimitive  = "overlay.render"
	dismissPrimitive = "overlay.dismiss"
)

// Overlays runs the primitives of reports and their launchers.
type Overlays struct {
	Site *Site
	// InPage runs a primitive of the page on behalf of a call.
	InPage func(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error)
}

// Handlers returns the handlers by the names of their primitives.
func (o Overlays) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"overlay.open":              o.open,
		"overlay.close":             o.close,
		"overlay.register_launcher": o.register,
	}
}

// launcher is a launcher as a caller declares it.
type launcher struct {
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	Title        string   `json:"title"`
	Selector     string   `json:"selector"`
	Selectors    []string `json:"selectors"`
	TextContains string   `json:"text_contains"`
	TextEquals   string   `json:"text_equals"`
	URLContains  string   `json:"url_contains"`
	URLMatches   string   `json:"url_matches"`
	Placement    string   `json:"placement"`
	MaxInstances int      `json:"max_instances"`
}

type overlayArguments struct {
	report
	Launchers []launcher `json:"launchers"`
}

// installedLauncher is a launcher that is in the page.
type installedLauncher struct {
	ID         string `json:"launcher_id"`
	Placement  string `json:"placement"`
	TargetText string `json:"target_text"`
}

type registered struct {
	Launchers []installedLauncher `json:"launchers"`
	Missing   []string            `json:"missing"`
	sources
}

func (o Overlays) open(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[overlayArguments](c)
	if err != nil {
		return nil, err
	}
	content, from, err := args.render(o.Site.Store)
	if err != nil {
		return nil, notDispatched(err)
	}
	out := struct {
		ID       string          `json:"overlay_id"`
		Replaced bool            `json:"replaced"`
		Geometry json.RawMessage `json:"geometry"`
		registered
	}{registered: registered{[]installedLauncher{}, []string{}, from}}
	id := ""
	if len(args.Launchers) > 0 {
		if id, out.registered, err = o.installLaunchers(ctx, c, args, from); err != nil {
			return nil, err
		}
	}
	raw, err := o.inPage(ctx, c, renderPrimitive, content)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		if id != "" {
			err = errors.Join(err, o.unregister(ctx, c, id))
		}
		return nil, fault.From(err)
	}
	return primitive.Output(out)
}

func (o Overlays) register(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[overlayArguments](c)
	if err != nil {
		return nil, err
	}
	// Read once now: a report that cannot be shown fails here, not at a click.
	_, from, err := args.render(o.Site.Store)
	if err != nil {
		return nil, notDispatched(err)
	}
	id, done, err := o.installLaunchers(ctx, c, args, from)
	if err != nil {
		return nil, err
	}
	return primitive.Output(struct {
		ID string `json:"overlay_id"`
		registered
	}{id, done})
}

func (o Overlays) close(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Launchers bool `json:"launchers"`
	}](c)
	if err != nil {
		return nil, err
	}
	raw, err := o.InPage(ctx, c, dismissPrimitive, json.RawMessage(`{}`))
	if err != nil {
		return nil, err
	}
	var out struct {
		Closed     bool `json:"closed"`
		MenuHidden bool `json:"menu_hidden"`
		Removed    int  `json:"launchers_removed"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "%s gave %v", dismissPrimitive, err)
	}
	if args.Launchers {
		if out.Removed, err = o.Site.Launchers.DropTab(c.TabID); err != nil {
			return nil, err
		}
		if out.Removed > 0 {
			if _, err := o.Site.attach(ctx, c.TabID, o.Site.Runtime(c.TabID), c.URL, true); err != nil {
				return nil, err
			}
		}
	}
	return primitive.Output(out)
}

// installLaunchers stores the launchers and installs them in the page; where none of them
// finds its target they are not kept.
func (o Overlays) installLaunchers(ctx context.Context, c primitive.Call, args overlayArguments, from sources) (string, registered, error) {
	none := registered{}
	r := registration{ID: "launchers-" + rand.Text()[:8], Report: args.report}
	for i, l := range args.Launchers {
		one, err := l.toAttachment(r.ID, i)
		if err != nil {
			return "", none, err
		}
		r.Launchers = append(r.Launchers, one)
	}
	if err := o.Site.Launchers.add(c.TabID, r); err != nil {
		return "", none, notDispatched(err)
	}
	installed, err := o.Site.attach(ctx, c.TabID, o.Site.Runtime(c.TabID), c.URL, true)
	done := registered{[]installedLauncher{}, []string{}, from}
	for i, l := range r.Launchers {
		name := args.Launchers[i].named(i)
		if at, found := installed[l.ID]; found {
			done.Launchers = append(done.Launchers, installedLauncher{name, at.Placement, at.TargetText})
		} else {
			done.Missing = append(done.Missing, name)
		}
	}
	if err == nil && len(done.Launchers) == 0 {
		err = fault.New(fault.LauncherFailed, "nothing on the page matches the target of a launcher").
			With("missing", done.Missing).WithDispatched(fault.NotDispatched)
	}
	if err != nil {
		return "", none, errors.Join(err, o.unregister(ctx, c, r.ID))
	}
	return r.ID, done, nil
}

// unregister removes a registration that failed.
func (o Overlays) unregister(ctx context.Context, c primitive.Call, id string) error {
	if err := o.Site.Launchers.remove(c.TabID, id); err != nil {
		return err
	}
	// Where the page does not answer, its next document has none of them.
	_, _ = o.Site.attach(ctx, c.TabID, o.Site.Runtime(c.TabID), c.URL, true)
	return nil
}

func (o Overlays) inPage(ctx context.Context, c primitive.Call, name string, args any) (json.RawMessage, error) {
	raw, err := primitive.Output(args)
	if err != nil {
		return nil, err
	}
	return o.InPage(ctx, c, name, raw)
}

func (l launcher) named(i int) string {
	if l.ID != "" {
		return l.ID
	}
	return fmt.Sprintf("launcher-%d", i+1)
}

// toAttachment returns the launcher as the page takes it.
func (l launcher) toAttachment(registration string, i int) (attachment, error) {
	a := attachment{
		ID: fmt.Sprintf("%s/%d", registration, i), Kind: "overlay_launcher", Label: l.Label, Title: l.Title, Placement: l.Placement,
		MaxInstances: l.MaxInstances, Selectors: l.Selectors,
		TextContains: l.TextContains, TextEquals: l.TextEquals, URLContains: l.URLContains, URLMatches: l.URLMatches,
	}
	if l.Selector != "" {
		a.Selectors = append([]string{l.Selector}, a.Selectors...)
	}
	if _, err := regexp.Compile(l.URLMatches); err != nil {
		return a, fault.New(fault.InvalidArguments, "url_matches is no regular expression that can be used: %v", err).With("launcher", l.named(i)).
			WithDispatched(fault.NotDispatched)
	}
	if a.Label == "" {
		a.Label = "Open report"
	}
	if a.MaxInstances == 0 {
		a.MaxInstances = launcherInstances
	}
	if len(a.Selectors) == 0 && a.TextContains == "" && a.TextEquals == "" {
		return a, fault.New(fault.InvalidArguments, "a launcher needs a selector or a text").With("launcher", l.named(i)).
			WithDispatched(fault.NotDispatched)
	}
	return a, nil
}

// launcherInstances is next to how many targets a launcher is installed at most, where
// its caller names no number.
const launcherInstances = 3

func notDispatched(err error) error { return fault.From(err).WithDispatched(fault.NotDispatched) }
