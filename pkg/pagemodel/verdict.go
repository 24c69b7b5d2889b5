package pagemodel

import "encoding/json"

// Verdict is whether something holds. In JSON it is true, false or "unknown".
type Verdict int

// The three verdicts. Unknown is not false: it never stops an action.
const (
	Unknown Verdict = iota
	Holds
	Fails
)

// MarshalJSON encodes the verdict as true, false or "unknown".
func (v Verdict) MarshalJSON() ([]byte, error) {
	switch v {
	case Holds:
		return []byte("true"), nil
	case Fails:
		return []byte("false"), nil
	}
	return []byte(`"unknown"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Verdict) UnmarshalJSON(text []byte) error {
	*v = Unknown
	var b bool
	if json.Unmarshal(text, &b) == nil {
		*v = verdict(b)
	}
	return nil
}

// String returns unknown, true or false.
func (v Verdict) String() string {
	return [...]string{"unknown", "true", "false"}[v]
}

func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// combine returns Holds when every verdict holds, Fails when one fails, else Unknown;
// no verdicts are Unknown.
func combine(verdicts []Verdict) Verdict {
	result := Unknown
	for _, v := range verdicts {
		if v == Fails {
			return Fails
		}
	}
	for _, v := range verdicts {
		if v == Unknown {
			return Unknown
		}
		result = Holds
	}
	return result
}
