package announcements

// stored is the form of a tab on disk.
type stored struct {
	Last    uint64  `json:"last"`
	Lost    uint64  `json:"lost"`
	At      uint64  `json:"at"`
	Entries []entry `json:"entries"`
}

// tab returns what was stored of a tab; one that cannot be read begins anew.
func (from stored) tab() *tab {
	t := newTab()
	for _, e := range from.Entries {
		if e.Seq > t.ring.Last() {
			t.ring.Resume(e.Seq - 1)
			t.ring.Add(e, len(e.Text)+len(e.Region)+200)
		}
	}
	t.ring.Resume(from.Last)
	t.lost, t.lostAt = from.Lost, from.At
	return t
}

func (t *tab) stored() stored {
	form := stored{Last: t.ring.Last(), Lost: t.lost, At: t.lostAt, Entries: []entry{}}
	for seq, e := range t.ring.Since(0) {
		e.Seq = seq
		form.Entries = append(form.Entries, e)
	}
	return form
}
