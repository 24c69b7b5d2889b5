package voice

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// lookTimeout bounds the look at the page after a batch of calls: the model waits for it.
const lookTimeout = 15 * time.Second

// Looker is a Toolbox that looks at the page after calls which may have changed it.
type Looker interface {
	// Look returns a picture for the model after the calls of one answer; nil where none is
	// due. An error says why one that was due could not be taken.
	Look(ctx context.Context, outcomes []Outcome) (*Image, error)
}

// look takes the picture that the calls of the batch call for, and ends the batch.
func (s *Session) look(b *batch) {
	looker, ok := s.options.Tools.(Looker)
	if !ok || b.dropped || b.stopped || b.done {
		s.finish(b)
		return
	}
	outcomes := slices.Clone(b.outcomes)
	go func() {
		limited, stop := context.WithTimeout(b.ctx, lookTimeout)
		defer stop()
		image, err := looker.Look(limited, outcomes)
		s.post(func() {
			if b.picture = image; err != nil {
				s.options.Observer.LogEvent("picture_failed", fault.From(err))
			}
			s.finish(b)
		})
	}()
}

// addPicture adds a picture that a tool took. The picture is for this connection: it is not
// carried over.
func (s *Session) addPicture(image Image) {
	s.write("picture", func(ctx context.Context) error { return s.conn.Add(ctx, Item{Image: &image}) })
	s.deleteLook()
}

// addLook adds the picture of a look at the page, which replaces the one before.
func (s *Session) addLook(image Image) {
	id := "look_" + rand.Text()[:16]
	s.write("picture", func(ctx context.Context) error { return s.conn.Add(ctx, Item{ID: id, Image: &image}) })
	s.deleteLook()
	s.shownLook = id
}

// deleteLook deletes the picture of the last look from the conversation: it shows what is past.
func (s *Session) deleteLook() {
	former := s.shownLook
	if s.shownLook = ""; former != "" {
		s.write("deletion of a picture", func(ctx context.Context) error { return s.conn.Delete(ctx, former) })
	}
}
