import { plainText } from "@agent-history/format-kit";

import { sessionMeter } from "../src/measured-session.ts";
import type { MeasuredSession } from "../src/measured-session.ts";
import type { TranscriptReader } from "../src/transcript-item.ts";
import { readItems } from "./read-lines.ts";

/** Measures lines with a counter of one token a character of content. */
export function measureLines(reader: TranscriptReader, lines: readonly string[]): MeasuredSession {
  const meter = sessionMeter({
    countEntry: (entry) => ("content" in entry ? plainText(entry.content ?? "").length : 0),
  });
  for (const item of readItems(reader, lines)) meter.add(item);
  return meter.result();
}
