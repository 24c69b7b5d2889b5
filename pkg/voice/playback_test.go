package voice

import (
	"slices"
	"testing"
	"testing/synctest"
)

func TestVoiceOutlastsItsResponse(t *testing.T) {
	// Ensure that a voice which still sounds after its response is shown as speaking, and that an interruption then ends the sound and nothing else.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		k.sendMessage(t, "one", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		l.events <- PlaybackChanged{On: true}
		l.done("r1")
		if last := k.diary.states[len(k.diary.states)-1]; last != Speaking {
			t.Errorf("while it sounds the state is %s", last)
		}
		k.Interrupt()
		if sent := l.takeSent(); !slices.Equal(sent, []string{"cancel "}) {
			t.Errorf("sent %q", sent)
		}
		l.events <- PlaybackChanged{}
		synctest.Wait()
		if last := k.diary.states[len(k.diary.states)-1]; last != Listening {
			t.Errorf("in silence the state is %s", last)
		}
		k.Interrupt()
		if sent := l.takeSent(); len(sent) != 0 {
			t.Errorf("sent to a silent line: %q", sent)
		}
	})
}
