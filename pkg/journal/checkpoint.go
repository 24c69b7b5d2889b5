package journal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"
)

// A checkpoint is a file beside the log that names the last record that was
// acknowledged to a caller. The chain alone does not show that its end is
// missing: bbolt silently goes back by one transaction when the page that
// holds the newest one's root is broken, and an older copy of the file is a sound
// chain too. The checkpoint is written after each transaction and not synced, so
// that it costs no time: when the power goes it may be older than the log, which
// proves nothing, and never newer.

// maxSeq is more than a log ever has, and exact in JSON; records come after the
// number of a checkpoint.
const maxSeq = 1 << 52

// checkpointLine is the sequence number, the hash and the checksum of both.
const checkpointLine = "%020d %x %08x\n"

// checkpointPath is the file beside the log.
func checkpointPath(path string) string { return path + ".head" }

// checkpoint is the file while the log is open. A nil one writes nothing: a log
// works without it.
type checkpoint struct{ file *os.File }

func openCheckpoint(path string) *checkpoint {
	file, err := os.OpenFile(checkpointPath(path), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	return &checkpoint{file}
}

// save writes the head of the chain. After a failed write the file is older and
// proves less.
func (c *checkpoint) save(h chainHead) {
	if c != nil {
		_, _ = c.file.WriteAt(h.line(), 0)
	}
}

func (c *checkpoint) close() error {
	if c == nil {
		return nil
	}
	return c.file.Close()
}

// chainHead is a record's place in the chain.
type chainHead struct {
	seq  uint64
	hash digest
}

func (h chainHead) line() []byte {
	return fmt.Appendf(nil, checkpointLine, h.seq, h.hash, crc32.Checksum(fmt.Appendf(nil, "%d %x", h.seq, h.hash), castagnoli))
}

// errBrokenCheckpoint is the error of a file that is no checkpoint: a write was cut
// short, or it was changed. It proves nothing about the log.
var errBrokenCheckpoint = errors.New("the checkpoint beside the log is broken: what was written last may be missing")

// readCheckpoint returns the content of the checkpoint file; a zero head where there
// is none, or where nothing was written to it yet.
func readCheckpoint(path string) (chainHead, error) {
	h, err := readCheckpointOnce(path)
	if err != nil { // the host may have been writing it
		h, err = readCheckpointOnce(path)
	}
	return h, err
}

// LastWritten returns the number of the last record that was written to a log, by the checkpoint
// beside it; 0 where that names none.
func LastWritten(path string) uint64 {
	saved, _ := readCheckpoint(path)
	return saved.seq
}

func readCheckpointOnce(path string) (chainHead, error) {
	text, err := os.ReadFile(checkpointPath(path))
	if len(text) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return chainHead{}, nil
	}
	if err != nil {
		return chainHead{}, errors.Join(errBrokenCheckpoint, err)
	}
	return decodeCheckpoint(text)
}

func decodeCheckpoint(text []byte) (chainHead, error) {
	number, rest, _ := strings.Cut(string(text), " ")
	hash, _, _ := strings.Cut(rest, " ")
	seq, err := strconv.ParseUint(number, 10, 64)
	raw, hexErr := hex.DecodeString(hash)
	if err != nil || hexErr != nil || len(raw) != len(digest{}) || seq > maxSeq {
		return chainHead{}, errBrokenCheckpoint
	}
	h := chainHead{seq, digest(raw)}
	if !bytes.Equal(text, h.line()) {
		return chainHead{}, errBrokenCheckpoint
	}
	return h, nil
}

// missing returns the first record that was written but is not in the log, by a
// checkpoint that was read before the transaction began; no problem where none is.
func (h chainHead) missing(tx *bbolt.Tx) (from uint64, problem string) {
	last, _, err := head(tx)
	if err != nil || h.seq == 0 {
		return 0, ""
	}
	switch value := tx.Bucket(bucketRecords).Get(seqKey(h.seq)); {
	case h.seq > last:
		return last + 1, missingRecords(last+1, h.seq)
	case len(value) > len(h.hash) && digest(value[:len(h.hash)]) != h.hash:
		return h.seq, fmt.Sprintf("record %d is another one than was written: the end of the log was replaced", h.seq)
	}
	return 0, ""
}

// missingRecords returns the message that the log ends before these records.
func missingRecords(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("record %d was written, and the log ends before it", from)
	}
	return fmt.Sprintf("the records %d to %d were written, and the log ends before them", from, to)
}
