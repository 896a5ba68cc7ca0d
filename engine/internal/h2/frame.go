package h2

import "encoding/binary"

// Frame types (RFC 9113 section 6).
const (
	frameData           = 0x0
	frameHeaders        = 0x1
	framePriority       = 0x2
	frameReset          = 0x3
	frameSettings       = 0x4
	framePushPromise    = 0x5
	framePing           = 0x6
	frameGoAway         = 0x7
	frameWindowUpdate   = 0x8
	frameContinuation   = 0x9
	framePriorityUpdate = 0x10 // RFC 9218 section 7.1
)

// Flags of frames.
const (
	flagAck        = 0x1 // SETTINGS, PING
	flagEndStream  = 0x1 // DATA, HEADERS
	flagEndHeaders = 0x4 // HEADERS, CONTINUATION
	flagPadded     = 0x8 // DATA, HEADERS
	flagPriority   = 0x20
)

// Settings (RFC 9113 section 6.5.2).
const (
	settingTableSize      = 0x1
	settingEnablePush     = 0x2
	settingMaxStreams     = 0x3
	settingWindow         = 0x4
	settingMaxFrame       = 0x5
	settingMaxHeaderBytes = 0x6
	settingConnect        = 0x8 // RFC 8441 section 3
	settingPriorities     = 0x9 // RFC 9218 section 2.1
)

const (
	preface       = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	headLen       = 9 // bytes of a frame's header
	minMaxFrame   = 16 << 10
	maxMaxFrame   = 1<<24 - 1
	defaultWindow = 1<<16 - 1
	maxWindow     = 1<<31 - 1
	maxStreamID   = 1<<31 - 1
)

// An errCode is an error code of RFC 9113 section 7.
type errCode uint32

const (
	noError            errCode = 0x0
	protocolError      errCode = 0x1
	internalError      errCode = 0x2
	flowControlError   errCode = 0x3
	streamClosed       errCode = 0x5
	frameSizeError     errCode = 0x6
	refusedStream      errCode = 0x7
	compressionError   errCode = 0x9
	enhanceYourCalm    errCode = 0xb
	inadequateSecurity errCode = 0xc
)

// A connError ends the connection (RFC 9113 section 5.4.1).
type connError struct {
	code errCode
	name string // for HTTP2Config.CountError, without "conn_"
}

func (e connError) Error() string { return "http2: connection error: " + e.name }

// A frame is a frame that was read completely.
type frame struct {
	kind, flags uint8
	stream      uint32
	payload     []byte
}

func (f *frame) has(flag uint8) bool { return f.flags&flag != 0 }

// unpad removes the padding of DATA and HEADERS. It reports false if there is
// more padding than payload.
func (f *frame) unpad() bool {
	if !f.has(flagPadded) {
		return true
	}
	if len(f.payload) == 0 || int(f.payload[0]) >= len(f.payload) {
		return false
	}
	f.payload = f.payload[1 : len(f.payload)-int(f.payload[0])]
	return true
}

// frameLen returns the length of the payload from a frame's header.
func frameLen(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }

func appendHead(dst []byte, length int, kind, flags uint8, stream uint32) []byte {
	return append(dst, byte(length>>16), byte(length>>8), byte(length), kind, flags,
		byte(stream>>24), byte(stream>>16), byte(stream>>8), byte(stream))
}

// setLen sets the length of the payload in a frame's header.
func setLen(head []byte, length int) {
	head[0], head[1], head[2] = byte(length>>16), byte(length>>8), byte(length)
}

func appendReset(dst []byte, stream uint32, code errCode) []byte {
	return binary.BigEndian.AppendUint32(appendHead(dst, 4, frameReset, 0, stream), uint32(code))
}

func appendWindowUpdate(dst []byte, stream uint32, n int64) []byte {
	return binary.BigEndian.AppendUint32(appendHead(dst, 4, frameWindowUpdate, 0, stream), uint32(n))
}

func appendGoAway(dst []byte, last uint32, code errCode) []byte {
	dst = binary.BigEndian.AppendUint32(appendHead(dst, 8, frameGoAway, 0, 0), last)
	return binary.BigEndian.AppendUint32(dst, uint32(code))
}

func appendPing(dst []byte, flags uint8, data [8]byte) []byte {
	return append(appendHead(dst, 8, framePing, flags, 0), data[:]...)
}

func appendSetting(dst []byte, id uint16, value uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(dst, id), value)
}
