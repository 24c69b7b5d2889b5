package profile

import (
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
	"github.com/actionsjson/actions-host/pkg/voice/record"
)

// recordAgent makes a recording of the session, where the user's settings or the
// launch ask for one.
func (p *profile) recordAgent(o *voice.Options, provider *openai.Provider) error {
	if p.settings.VoiceRecord == "" {
		return nil
	}
	recording, err := record.Open(p.settings.VoiceRecord, record.HeaderOf(*o, p.version), func(err error) { p.log.Error("recording the agent", "error", err) })
	if err != nil {
		return err
	}
	recording.Attach(o)
	provider.Recorder = recording.Record
	return nil
}
