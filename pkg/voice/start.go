package voice

import "context"

// Start connects and begins the conversation. The context bounds the connecting
// only: whoever cancels it then ends the session.
func Start(ctx context.Context, options Options) (*Session, error) {
	s := newSession(options)
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// newSession is one that still has to connect; what the user wants of it before
// that is done as far as it can be, and told on the connection.
func newSession(options Options) *Session {
	life, end := context.WithCancel(context.Background())
	s := &Session{
		options: options, ctx: life, end: end, inbox: make(chan func(), 64), ended: make(chan struct{}),
		seen: map[string]bool{}, growing: map[string]Said{}, waiters: map[string]*waiter{},
		state: State{SessionID: options.ID, Model: options.Setup.Model, TextOnly: options.Media == nil, Cost: Cost{Prices: PricesOf(options.Setup.Model).Date}},
	}
	if options.From != nil {
		s.takeUp(*options.From)
	} else {
		s.open()
	}
	return s
}

// connect makes the first connection and begins the loop, which it stands in for
// until then.
func (s *Session) connect(ctx context.Context) error {
	dial := func(items []Item) (line, error) { return s.dial(ctx, items) }
	if s.options.From != nil {
		dial = s.redial // nobody is there who would press Start again
	}
	s.show(Connecting)
	connected := context.AfterFunc(ctx, s.end)
	items, told := s.history.since(0), s.history.added
	dialled := make(chan error, 1)
	var l line
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
			l.told = told
			s.adopt(l)
			go s.loop()
			return nil
		}
	}
}

// open says what stands at the beginning of a conversation.
func (s *Session) open() {
	if s.options.Memory != "" {
		s.note(Item{Message: &Message{"system", s.options.Memory}})
	}
	if s.options.Greet {
		s.gate.add(ask{id: newID(), textOnly: s.state.TextOnly}, Queue)
	}
}
