package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/redact"
)

const (
	// fitBytes is what one member of a record's data may take: others stand
	// beside it, and a record above MaxData would lose all of them.
	fitBytes = MaxData / 2
	// fitString is how much of one long string is kept.
	fitString = 4 << 10
	// fitEvidence is what the evidence of an error may take, fitMessage the characters of its message.
	fitEvidence, fitMessage = 8 << 10, 1000
)

// Fit returns a member of a record's data so short that the members beside it are
// kept: without binary payloads, its long strings cut, and as a head alone
// where that is not enough. What is short enough stays as it is.
func Fit(data json.RawMessage) json.RawMessage { return fit(data, fitBytes) }

func fit(data json.RawMessage, most int) json.RawMessage {
	if len(data) <= most {
		return data
	}
	short, err := shortStrings(data)
	switch {
	case err != nil, !json.Valid(short): // several values in a row are no JSON text
		return redact.Truncated(len(data), nil)
	case len(short) > most:
		return redact.Truncated(len(data), redactedHead(short, most/4)) // in a string it may be twice as long
	default:
		return short
	}
}

// FitArguments is Fit for arguments that stand beside an output, of so many bytes. What is
// too long becomes a head as a whole: nobody shall take a cut text for what was typed.
func FitArguments(args json.RawMessage, output int) json.RawMessage {
	if len(args)+output <= MaxData*3/4 {
		return args
	}
	short, err := shortStrings(args)
	if err != nil || !json.Valid(short) {
		short = nil
	}
	return redact.Truncated(len(args), redactedHead(short, maxHead))
}

// FitError is Fit for an error, whose message and evidence may hold what a page gave, such as its
// address. The code of its cause stays.
func FitError(f *fault.Error) *fault.Error {
	if f == nil {
		return nil
	}
	short := *f
	if len(f.Message) > fitMessage {
		short.Message = redact.TextUpTo(f.Message, fitMessage)
	}
	evidence := redact.Encode(f.Evidence)
	if len(evidence) <= fitEvidence {
		return &short
	}
	var kept struct {
		Cause struct {
			Code fault.Code `json:"code"`
		} `json:"cause"`
	}
	_ = json.Unmarshal(evidence, &kept) // most have none
	evidence = fit(evidence, fitEvidence)
	short.Evidence = nil
	if err := json.Unmarshal(evidence, &short.Evidence); err != nil {
		return &short // not reachable: it was written a moment ago
	}
	if kept.Cause.Code != "" && short.Evidence["cause"] == nil {
		short.Evidence["cause"] = kept.Cause
	}
	return &short
}

// redactedHead returns the start of a JSON text whose secrets were replaced before
// the cut: half a key looks like none.
func redactedHead(data json.RawMessage, most int) json.RawMessage {
	if len(data) > redact.MaxJSON {
		return nil
	}
	data = redact.JSON(data)
	return data[:min(len(data), most)]
}

// shortStrings copies JSON with its long strings replaced.
func shortStrings(data json.RawMessage) (json.RawMessage, error) {
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		switch from.PeekKind() {
		case '"':
			kind, length := from.StackIndex(from.StackDepth())
			value, err := from.ReadValue()
			if err != nil {
				return nil, err
			}
			if isName := kind == '{' && length%2 == 0; !isName && len(value) > fitString {
				value = shortString(value)
			}
			if err := to.WriteValue(value); err != nil {
				return nil, err
			}
		default:
			token, err := from.ReadToken()
			if errors.Is(err, io.EOF) {
				return bytes.TrimRight(out.Bytes(), "\n"), nil
			}
			if err != nil {
				return nil, err
			}
			if err := to.WriteToken(token); err != nil {
				return nil, err
			}
		}
	}
}

func shortString(value jsontext.Value) jsontext.Value {
	raw, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return encodeValue(nil)
	}
	short := redact.String(string(raw))
	if text, ok := short.(string); ok {
		if runes := []rune(text); len(runes) > fitString {
			short = fmt.Sprintf("%s… (%d characters in all)", string(runes[:fitString/2]), len(runes))
		}
	}
	return encodeValue(short)
}

func encodeValue(value any) jsontext.Value { return jsontext.Value(redact.Encode(value)) }
