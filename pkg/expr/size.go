package expr

// sizer walks a value and stops at the limits.
type sizer struct {
	*meter
	nodes  int
	copies int // the sum of the depths of the nodes
}

// checkSize rejects a value with more than maxNodes nodes; shared nodes count each
// time. It checks every array and object that an expression builds, so no single
// step of the engine on a value can take long or allocate much.
func (m *meter) checkSize(v any) error {
	s := sizer{meter: m}
	err := s.add(v, 0)
	if s.nodes > bigNodes {
		m.every = checkOften
	}
	return err
}

// checkDescent is checkSize for a value that "**" will be applied to: the engine
// copies each node once for each level above it.
func (m *meter) checkDescent(v any) error {
	s := sizer{meter: m}
	if err := s.add(v, 0); err != nil {
		return err
	}
	if s.copies > maxCopies {
		return tooLarge("the value is nested too deeply for **")
	}
	return nil
}

func (s *sizer) add(v any, depth int) error {
	s.nodes++
	s.copies += depth
	if s.nodes%1024 == 0 {
		if err := s.check(); err != nil {
			return err
		}
	}
	if s.nodes > s.maxNodes {
		return tooLarge("a value holds more than %d nodes", s.maxNodes)
	}
	if depth > maxNesting {
		return tooLarge("a value is nested deeper than %d levels", maxNesting)
	}
	var err error
	switch x := v.(type) {
	case string, float64, bool, nil:
	case []any:
		for _, element := range x {
			if err = s.add(element, depth+1); err != nil {
				return err
			}
		}
	case object:
		for _, key := range x.Keys() {
			member, _ := x.Get(key)
			if err = s.add(member, depth+1); err != nil {
				return err
			}
		}
	default:
		if list, ok := sequence(x); ok {
			return s.add(list, depth)
		}
	}
	return err
}
