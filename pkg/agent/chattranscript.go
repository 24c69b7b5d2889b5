package agent

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// TranscriptLine is a line of what the page's media say.
type TranscriptLine struct {
	Start time.Duration
	Text  string
}

// transcriptSuffix ends the name of a stored action that gives a page's transcript.
const transcriptSuffix = ".transcript"

// cue is a line as page.transcript, or an action, gives it.
type cue struct {
	Start float64 `json:"start"` // seconds
	Text  string  `json:"text"`
}

// readTranscript adds to a page what its media, if it has any, say: by their text tracks, else by
// a stored action of the site that only reads.
func (a *Agent) readTranscript(ctx context.Context, tabID int, page *ChatPage) {
	var media int
	page.Transcript, page.MediaDuration, media = a.readTracks(ctx, tabID)
	page.TranscriptProvider = "text tracks"
	if len(page.Transcript) == 0 && media > 0 {
		page.Transcript, page.TranscriptProvider = a.callTranscriptAction(ctx, tabID)
	}
	if len(page.Transcript) == 0 {
		page.TranscriptProvider = ""
	}
}

func (a *Agent) readTracks(ctx context.Context, tabID int) (lines []TranscriptLine, duration time.Duration, media int) {
	arguments := map[string]any{}
	for size := 0; size < maxPageText; {
		e, err := a.lookWith(ctx, tabID, "page.transcript", arguments)
		var output struct {
			Media     int   `json:"media_count"`
			Cues      []cue `json:"cues"`
			Duration  int   `json:"duration"`
			Truncated bool  `json:"truncated"`
		}
		if err != nil || json.Unmarshal(e.Output, &output) != nil {
			return lines, duration, media
		}
		media = output.Media
		duration = time.Duration(output.Duration) * time.Second
		lines = append(lines, linesOf(output.Cues)...)
		if !output.Truncated || len(output.Cues) == 0 {
			break
		}
		for _, c := range output.Cues {
			size += len(c.Text)
		}
		arguments = map[string]any{"offset": len(lines)}
	}
	return lines, duration, media
}

func linesOf(cues []cue) []TranscriptLine {
	lines := make([]TranscriptLine, 0, len(cues))
	for _, c := range cues {
		lines = append(lines, TranscriptLine{Start: time.Duration(c.Start * float64(time.Second)), Text: c.Text})
	}
	return lines
}

// callTranscriptAction calls the first stored action of the page whose name ends with
// .transcript. One that would do more than read is refused.
func (a *Agent) callTranscriptAction(ctx context.Context, tabID int) (lines []TranscriptLine, name string) {
	listed, ok := a.callSite(ctx, tabID, map[string]any{"mode": "list", "query": "transcript", "names_only": true})
	if !ok {
		return nil, ""
	}
	var list struct {
		Actions []struct {
			Name string `json:"name"`
		} `json:"actions"`
	}
	if json.Unmarshal(listed, &list) != nil {
		return nil, ""
	}
	for _, action := range list.Actions {
		if strings.HasSuffix(action.Name, transcriptSuffix) {
			output, _ := a.callSite(ctx, tabID, map[string]any{"mode": "call", "action": action.Name})
			return transcriptOf(output), action.Name
		}
	}
	return nil, ""
}

// transcriptOf returns the lines of an action's output: a text, a list of {start, text}, or an
// object with either as its transcript.
func transcriptOf(output json.RawMessage) []TranscriptLine {
	var object struct {
		Transcript json.RawMessage `json:"transcript"`
	}
	if json.Unmarshal(output, &object) == nil {
		output = object.Transcript
	}
	var text string
	if json.Unmarshal(output, &text) == nil && strings.TrimSpace(text) != "" {
		return []TranscriptLine{{Text: text}}
	}
	var cues []cue
	if json.Unmarshal(output, &cues) != nil {
		return nil
	}
	return linesOf(cues)
}

// callSite calls actions.site for a look.
func (a *Agent) callSite(ctx context.Context, tabID int, arguments map[string]any) (json.RawMessage, bool) {
	raw, err := primitive.Output(arguments)
	if err != nil {
		return nil, false
	}
	checked, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, false
	}
	e := a.Dispatch.Call(ctx, a.Session, dispatch.Call{Name: dispatch.SiteTool, Arguments: checked, Target: tabs.Target{TabID: tabID}, Unasked: true, OnlyLook: true})
	return e.Output, e.OK
}
