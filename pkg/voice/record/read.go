package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Limits of a recording.
const (
	maxLine  = 4 << 20
	maxLines = 200_000
)

// ReadFile reads a recording.
func ReadFile(name string) (Recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return Recording{}, fault.Wrap(err, fault.StorageUnavailable, "the recording cannot be read: %v", err)
	}
	defer file.Close()
	return Read(file)
}

// Read reads a recording; its error names the line.
func Read(from io.Reader) (Recording, error) {
	var r Recording
	in := bufio.NewReaderSize(from, 64<<10)
	for number := 1; ; number++ {
		text, err := oneLine(in)
		if errors.Is(err, io.EOF) && len(text) == 0 {
			if number == 1 {
				return r, lineError(number, "the file is empty")
			}
			return r, nil
		}
		if err != nil {
			return r, lineError(number, "%v", err)
		}
		if number > maxLines {
			return r, lineError(number, "a recording has at most %d lines", maxLines)
		}
		if number == 1 {
			err = r.header(text)
		} else {
			err = r.line(text)
		}
		if err != nil {
			return r, lineError(number, "%s", fault.From(err).Message)
		}
	}
}

// oneLine reads a line without its end.
func oneLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		chunk, err := in.ReadSlice('\n')
		line = append(line, chunk...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("it is longer than %d bytes", maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, errors.New("it is cut off: the recording ends in the middle of a line")
		case err != nil:
			return nil, err
		default:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

func (r *Recording) header(text []byte) error {
	var head struct {
		Format *int `json:"voice_recording"`
	}
	if json.Unmarshal(text, &head) != nil || head.Format == nil {
		return errors.New("this is not a recording of a voice session: its header has no voice_recording")
	}
	if *head.Format != Format {
		return fmt.Errorf("the recording has format %d; this version reads %d", *head.Format, Format)
	}
	return strictjson.Decode(text, &r.Header, strictjson.Limits{MaxBytes: maxLine})
}

func (r *Recording) line(text []byte) error {
	var l Line
	if err := strictjson.Decode(text, &l, strictjson.Limits{MaxBytes: maxLine}); err != nil {
		return err
	}
	onConnection := slices.Contains([]voice.Source{voice.FromHost, voice.FromService, voice.FromNetwork}, l.From)
	var event struct {
		Type string `json:"type"`
	}
	switch {
	case !onConnection && l.From != voice.FromUser && l.From != voice.FromTools:
		return fmt.Errorf("from is %q; host, service, network, user and tools are known", l.From)
	case onConnection != (l.Connection > 0):
		return fmt.Errorf("an event from %s on connection %d", l.From, l.Connection)
	case l.MS < 0 || len(r.Lines) > 0 && l.MS < r.Lines[len(r.Lines)-1].MS:
		return fmt.Errorf("its time, %d ms, is before that of the line above", l.MS)
	case json.Unmarshal(l.Event, &event) != nil || event.Type == "":
		return errors.New("its event is not an object with a type")
	}
	r.Lines = append(r.Lines, l)
	return nil
}

func lineError(line int, format string, args ...any) error {
	return fault.New(fault.InvalidInput, "line %d of the recording: %s", line, fmt.Sprintf(format, args...)).
		WithNextStep("Record the session again.")
}
