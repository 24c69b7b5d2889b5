package dispatch

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// ReturnsPicture reports whether a primitive itself takes a picture.
func ReturnsPicture(r *primitive.Record) bool {
	return r.Name != SiteTool && r.Name != BatchTool && slices.Contains(r.Special, primitive.SpecialImage)
}

// checkSpecial refuses what a handler hands over beside its output and its record does
// not allow.
func checkSpecial(r *primitive.Record, meta *primitive.Meta) error {
	var given []primitive.Special
	for _, a := range meta.Attachments {
		given = append(given, a.Kind)
	}
	if meta.Done != nil {
		given = append(given, primitive.SpecialDone)
	}
	for _, kind := range given {
		if !slices.Contains(r.Special, kind) {
			meta.Attachments, meta.Done = nil, nil
			return fault.New(fault.InvalidResult, "%s handed over something of the kind %q, which its record does not allow", r.Name, kind)
		}
	}
	return nil
}

// keepPicture hands the newest picture of a stored action's steps on to the action.
func (s *scope) keepPicture(from *primitive.Meta) {
	for _, a := range from.Attachments {
		if a.Kind == primitive.SpecialImage {
			s.pictures = []primitive.Attachment{a}
		}
	}
}
