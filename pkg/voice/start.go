package voice

import "context"

// Start connects and begins the conversation. The context bounds the connecting
// only: cancelling it during that ends the session.
func Start(ctx context.Context, options Options) (*Session, error) {
	s := newSession(options)
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// newSession returns a session that is not connected yet. Calls of its methods before
// that are executed as far as possible, and sent on the connection later.
func newSession(options Options) *Session {
	life, end := context.WithCancel(context.Background())
	s := &Session{
		options: options, ctx: life, end: end, inbox: make(chan func(), 64), ended: make(chan struct{}),
		seen: map[string]bool{}, partialTurns: map[string]Transcript{}, waiters: map[string]*waiter{},
		state: State{SessionID: options.ID, Model: options.Setup.Model, TextOnly: options.Media == nil, Cost: Cost{Prices: PricesOf(options.Setup.Model).Date}},
	}
	if options.ResumeFrom != nil {
		s.restore(*options.ResumeFrom)
	} else {
		s.startConversation()
	}
	return s
}

// connect makes the first connection and starts the loop, whose work it does until
// then.
func (s *Session) connect(ctx context.Context) error {
	dial := func(items []Item) (link, error) { return s.dial(ctx, items) }
	if s.options.ResumeFrom != nil {
		dial = s.redial // no user is there to press Start again
	}
	s.setStatus(Connecting)
	connected := context.AfterFunc(ctx, s.end)
	items, sentItems := s.history.since(0), s.history.added
	dialled := make(chan error, 1)
	var l link
	go func() {
		var err error
		l, err = dial(items)
		dialled <- err
	}()
	for {
		select {
		case work := <-s.inbox:
			work()
		case err := <-dialled:
			connected()
			if err != nil {
				s.fail(err)
				s.close()
				return err
			}
			l.sentItems = sentItems
			s.adopt(l)
			go s.loop()
			return nil
		}
	}
}

// startConversation adds the beginning of a conversation.
func (s *Session) startConversation() {
	if s.options.Memory != "" {
		s.addItem(Item{Message: &Message{"system", s.options.Memory}})
	}
	if s.options.Greet {
		s.gate.add(responseRequest{id: newID(), textOnly: s.state.TextOnly}, Queue)
	}
}
