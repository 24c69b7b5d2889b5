package expr

// scale walks over a value and stops at the limits.
type scale struct {
	*meter
	nodes  int
	copies int // the sum of the depths of the nodes
}

// weigh refuses a value with more than maxNodes nodes, shared ones counted each
// time. Every array and object that an expression builds passes it, so nothing
// the engine does with a value in one step can take long or grow far.
func (m *meter) weigh(v any) error {
	s := scale{meter: m}
	err := s.add(v, 0)
	if s.nodes > bigNodes {
		m.every = checkOften
	}
	return err
}

// weighForDescent is weigh for a value that "**" will be applied to: the engine
// copies each node once for each level above it.
func (m *meter) weighForDescent(v any) error {
	s := scale{meter: m}
	if err := s.add(v, 0); err != nil {
		return err
	}
	if s.copies > maxCopies {
		return tooLarge("the value is nested too deeply for **")
	}
	return nil
}

func (s *scale) add(v any, depth int) error {
	s.nodes++
	s.copies += depth
	if s.nodes%1024 == 0 {
		if err := s.check(); err != nil {
			return err
		}
	}
	if s.nodes > maxNodes {
		return tooLarge("a value holds more than %d parts", maxNodes)
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
