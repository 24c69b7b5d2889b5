package dispatch

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func TestTighten(t *testing.T) {
	// Ensure that the user's choices only take away, for all sites or for one that the call is about, and never what the file or the session has asked for.
	const here, there = "https://here.test", "https://there.test"
	all := []policy.Effect{policy.EffectInput, policy.EffectTab, policy.EffectCode}
	tests := []struct {
		name    string
		choices Choices
		targets []string
		mode    policy.Mode
		ask     []policy.Effect
	}{
		{"nothing chosen", Choices{}, nil, policy.ModeAct, []policy.Effect{policy.EffectTab}},
		{"ask first everywhere", Choices{AskFirst: true}, nil, policy.ModeAct, all},
		{"ask first here", Choices{Sites: map[string]SiteChoice{here: SiteFirst}}, nil, policy.ModeAct, all},
		{"ask first where it goes", Choices{Sites: map[string]SiteChoice{there: SiteFirst}}, []string{there}, policy.ModeAct, all},
		{"only look where it goes", Choices{Sites: map[string]SiteChoice{there: SiteLook}}, []string{there}, policy.ModeAsk, []policy.Effect{policy.EffectTab}},
		{"only look where it goes with a final dot", Choices{Sites: map[string]SiteChoice{there: SiteLook}}, []string{there + "."}, policy.ModeAsk, []policy.Effect{policy.EffectTab}},
		{"ask first where it goes by http", Choices{Sites: map[string]SiteChoice{there: SiteFirst}}, []string{"http://there.test"}, policy.ModeAct, all},
		{"only look by http", Choices{Sites: map[string]SiteChoice{"http://there.test": SiteLook}}, []string{there}, policy.ModeAct, []policy.Effect{policy.EffectTab}},
		{"both where it goes", Choices{Sites: map[string]SiteChoice{there: SiteFirst, "http://there.test": SiteLook}}, []string{"http://there.test"}, policy.ModeAsk, all},
		{"only look elsewhere", Choices{Sites: map[string]SiteChoice{there: SiteLook}}, nil, policy.ModeAct, []policy.Effect{policy.EffectTab}},
		{"both", Choices{AskFirst: true, Sites: map[string]SiteChoice{here: SiteLook}}, nil, policy.ModeAsk, all},
	}
	for _, tt := range tests {
		r := policy.Request{Mode: policy.ModeAct, Origin: here, TargetOrigins: tt.targets, Ask: []policy.Effect{policy.EffectTab}}
		tt.choices.tighten(&r)
		slices.Sort(r.Ask)
		want := slices.Sorted(slices.Values(tt.ask))
		if r.Mode != tt.mode || !slices.Equal(r.Ask, want) {
			t.Errorf("%s: mode %s, asks about %v", tt.name, r.Mode, r.Ask)
		}
	}
}

func TestAbout(t *testing.T) {
	// Ensure that a question has what its words need, and of a typed text only the length.
	catalogue := primitive.Load()
	r := policy.Request{Origin: "https://here.test", TargetOrigins: []string{"https://here.test"}}
	for _, tt := range []struct {
		name, args, want string
	}{
		{"locator.click", `{"locator":{"role":"button","name":"Place order"}}`, `{"argument":"Place order","tab_id":7,"locator":{"role":"button","name":"Place order"}}`},
		{"locator.fill", `{"locator":{"label":"Name"},"text":"Zoë sesame"}`, `{"argument":"Name","characters":10,"tab_id":7,"locator":{"label":"Name"}}`},
		{"text.type", `{"text":"sesame"}`, `{"characters":6,"tab_id":7}`},
		{"", `{"arguments":{"n":1}}`, `{"action":true,"tab_id":7}`},
	} {
		in := invocation{args: json.RawMessage(tt.args)}
		if tt.name != "" {
			in.record, _ = catalogue.Record(tt.name)
		}
		got, err := json.Marshal(about(in, tabs.Tab{TabID: 7}, r))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	navigate, _ := catalogue.Record("browser.navigate")
	r.TargetOrigins = []string{"https://there.test", r.Origin}
	if got := about(invocation{record: navigate, args: json.RawMessage(`{"url":"https://there.test/?token=a"}`)}, tabs.Tab{}, r); got.Destination != "https://there.test" || got.Characters != 0 {
		t.Errorf("of an address: %+v", got)
	}
}
