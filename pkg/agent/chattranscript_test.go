package agent

import (
	"slices"
	"testing"
	"time"
)

func TestTranscriptOfAction(t *testing.T) {
	// Ensure that what an action gives is read as a text or as lines with their times, by itself or as the transcript of an object, and that anything else is none.
	for output, want := range map[string][]TranscriptLine{
		`"Good day."`:                            {{Text: "Good day."}},
		`{"transcript":"Good day."}`:             {{Text: "Good day."}},
		`[{"start":1.5,"text":"Good day."}]`:     {{1500 * time.Millisecond, "Good day."}},
		`{"transcript":[{"start":0,"text":""}]}`: {{0, ""}},
		`{"transcript":7}`:                       nil,
		`{"steps":{}}`:                           nil,
		`[1,2]`:                                  nil,
		`" "`:                                    nil,
		``:                                       nil,
	} {
		if got := transcriptOf([]byte(output)); !slices.Equal(got, want) {
			t.Errorf("%s: %v", output, got)
		}
	}
}
