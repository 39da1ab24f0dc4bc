import { collectTranscript } from "../src/collect-transcript.ts";
import type { Transcript } from "../src/collect-transcript.ts";
import type { TranscriptItem, TranscriptReader } from "../src/transcript-item.ts";

/** Reads lines with a reader, to their end. */
export function readItems(
  reader: TranscriptReader,
  lines: readonly string[],
): readonly TranscriptItem[] {
  return [...lines.flatMap(reader.read), ...reader.end()];
}

export function readLines(reader: TranscriptReader, lines: readonly string[]): Transcript {
  return collectTranscript(readItems(reader, lines));
}
