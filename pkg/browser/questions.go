package browser

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
)

// questionPagesTimeout bounds the worker's look at its own pages.
const questionPagesTimeout = 5 * time.Second

// ShowsQuestions reports whether a page of the extension is open that can show the user a
// question. An extension that does not answer, or knows no questions, shows none.
func (b *Browser) ShowsQuestions(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, questionPagesTimeout)
	defer cancel()
	var pages protocol.QuestionPages
	err := b.call(ctx, protocol.MethodQuestionPages, protocol.Empty{}, &pages)
	return err == nil && pages.Open > 0
}
