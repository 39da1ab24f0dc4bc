import { bytesOf, type EncodedBytes } from "./encoded-bytes.ts";

/** A recording, and how long it plays. */
export interface Recording {
  readonly kind: "audio" | "video";
  /** Missing where the header does not tell, or tells what the bytes belie. */
  readonly seconds?: number;
}

/** Where headers, and the last page or cluster, are looked for. */
const HEAD = 2 ** 16;
const TAIL = 2 ** 18;

/** A fragmented movie has thousands; its header stands before them. */
const MOST_BOXES = 1000;

/** A format: how its bytes begin, and what plays for how long. */
type Reader = (file: EncodedBytes, head: string) => Recording | undefined;

const READERS: readonly Reader[] = [readWav, readMp4, readOgg, readFlac, readWebm, readMp3];

/** Bytes a second: between speech with pauses at the lowest rate and raw sound of eight channels, or video hardly compressed. */
const LEAST_RATE = 50;
const MOST_RATE = { audio: 8_000_000, video: 40_000_000 } as const;

/** Reads what a file plays from its headers: WAV, MP4 and M4A, MOV, Ogg, FLAC, WebM, MP3. `undefined` for anything else. */
export function recordingIn(file: EncodedBytes): Recording | undefined {
  const head = file.text(0, HEAD);
  for (const read of READERS) {
    const recording = read(file, head);
    if (recording === undefined) continue;
    const { kind, seconds = 0 } = recording;
    const rate = file.length / seconds;
    return rate >= LEAST_RATE && rate <= MOST_RATE[kind] ? recording : { kind };
  }
  return undefined;
}

/** The rate in `fmt`, and the length of `data`; where that was not known when it was written, all that is left. */
function readWav(file: EncodedBytes, head: string): Recording | undefined {
  if (!head.startsWith("RIFF") || head.slice(8, 12) !== "WAVE") return undefined;
  let rate = 0;
  for (let at = 12; at + 8 < HEAD;) {
    const size = little(head, at + 4, 4);
    if (head.startsWith("fmt ", at)) rate = little(head, at + 16, 4);
    if (head.startsWith("data", at)) {
      const left = file.length - at - 8;
      const bytes = size === 0 ? left : Math.min(size, left);
      return { kind: "audio", seconds: bytes / rate };
    }
    at += 8 + size + (size % 2);
  }
  return { kind: "audio" };
}

/** `mvhd` in `moov`, which may stand at the end. */
function readMp4(file: EncodedBytes, head: string): Recording | undefined {
  if (!/^(?:ftyp|moov|mdat|wide|free|skip)/.test(head.slice(4))) return undefined;
  for (let at = 0, boxes = 0; at + 16 <= file.length && boxes < MOST_BOXES; boxes++) {
    const box = file.text(at, at + 16);
    const size = big(box, 0, 4) === 1 ? big(box, 8, 8) : big(box, 0, 4);
    if (box.startsWith("moov", 4))
      return readMovie(file.text(at, Math.min(at + size, at + 2 ** 22)));
    if (size < 8) break;
    at += size;
  }
  return { kind: /^....ftypM4[AB]/s.test(head) ? "audio" : "video" };
}

function readMovie(movie: string): Recording {
  const kind = movie.includes("vide") ? "video" : "audio";
  const at = movie.indexOf("mvhd") + 4;
  if (at < 4) return { kind };
  const [times, bytes] = movie.charCodeAt(at) === 1 ? [20, 8] : [12, 4];
  return { kind, seconds: big(movie, at + times + 4, bytes) / big(movie, at + times, 4) };
}

/** The granule of the last page, by the rate of the first. */
function readOgg(file: EncodedBytes, head: string): Recording | undefined {
  if (!head.startsWith("OggS")) return undefined;
  const vorbis = head.indexOf("\u0001vorbis");
  const rate = vorbis < 0 ? 48_000 : little(head, vorbis + 12, 4);
  const tail = file.text(Math.max(0, file.length - TAIL));
  const granule = little(tail, tail.lastIndexOf("OggS") + 6, 8);
  return { kind: head.includes("theora") ? "video" : "audio", seconds: granule / rate };
}

/** 20 bits of rate and 36 bits of samples in the first block. */
function readFlac(_file: EncodedBytes, head: string): Recording | undefined {
  if (!head.startsWith("fLaC")) return undefined;
  const rate = Math.floor(big(head, 18, 3) / 16);
  const samples = (head.charCodeAt(21) % 16) * 2 ** 32 + big(head, 22, 4);
  return { kind: "audio", seconds: samples / rate };
}

/** `Duration`, in units of `TimecodeScale`; a live recording has none. */
function readWebm(_file: EncodedBytes, head: string): Recording | undefined {
  if (!head.startsWith("\u001A\u0045\u00DF\u00A3")) return undefined;
  const kind = /V_(?:VP|AV1|MPEG)/.test(head) ? "video" : "audio";
  const scaled = head.indexOf("\u002A\u00D7\u00B1\u0083");
  const unit = (scaled < 0 ? 1_000_000 : big(head, scaled + 4, 3)) / 1e9;
  const [float] = /\u0044\u0089[\u0084\u0088].{8}/s.exec(head) ?? [];
  if (float === undefined) return { kind };
  const view = new DataView(bytesOf(float).buffer, 3);
  const ticks = float[2] === "\u0084" ? view.getFloat32(0) : view.getFloat64(0);
  return { kind, seconds: ticks * unit };
}

// Kilobits a second of layer III, from index 1: MPEG 1, then MPEG 2 and 2.5. Rates of MPEG 1.
const KILOBITS = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const HERTZ = [44_100, 48_000, 32_000] as const;

/** The number of frames, where the first one tells it; else by its bit rate. */
function readMp3(file: EncodedBytes, head: string): Recording | undefined {
  const tag = head.startsWith("ID3")
    ? 10 + [6, 7, 8, 9].reduce((size, at) => size * 128 + head.charCodeAt(at), 0)
    : 0;
  const text = tag === 0 ? head : file.text(tag, tag + HEAD);
  const at = text.search(/\u00FF[\u00E2\u00E3\u00F2\u00F3\u00FA\u00FB]/);
  if (at < 0 || (tag === 0 && at > 0)) return tag === 0 ? undefined : { kind: "audio" };
  const version = Math.floor(text.charCodeAt(at + 1) / 8) % 4;
  const isFirst = version === 3;
  const code = text.charCodeAt(at + 2);
  const hertz = (HERTZ[Math.floor(code / 4) % 4] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  const told = text.slice(at, at + 200).search(/Xing|Info/);
  if (told >= 0 && text.charCodeAt(at + told + 7) % 2 === 1) {
    const frames = big(text, at + told + 8, 4);
    return { kind: "audio", seconds: (frames * (isFirst ? 1152 : 576)) / hertz };
  }
  const kilobits = KILOBITS[isFirst ? 0 : 1][Math.floor(code / 16) - 1] ?? 0;
  return { kind: "audio", seconds: (file.length - tag - at) / (kilobits * 125) };
}

function big(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) value = value * 256 + text.charCodeAt(index);
  return value;
}

function little(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at + count - 1; index >= at; index--) {
    value = value * 256 + text.charCodeAt(index);
  }
  return value;
}
