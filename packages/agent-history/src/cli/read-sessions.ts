import type { TranscriptItem } from "@agent-history/transcripts";
import { readTranscriptFile } from "@agent-history/transcripts/node";

import type { CliContext } from "./cli-context.ts";
import type { SessionFiles } from "./find-sessions.ts";

/** Takes the items of a file and gives what came of them. */
export interface Meter<Result> {
  readonly add: (item: TranscriptItem) => void;
  readonly result: () => Result;
}

export interface ReadSession<Result> {
  readonly session: SessionFiles;
  /** What came of each of its files. */
  readonly results: readonly Result[];
}

/** Reads the files of sessions one after another, each by a meter of its own, and tells how far it is. */
export async function readSessions<Result>(
  { tell, isLive }: CliContext,
  sessions: readonly SessionFiles[],
  { meter, entries }: { readonly meter: () => Meter<Result>; readonly entries: boolean },
): Promise<readonly ReadSession<Result>[]> {
  const all = sessions.flatMap(({ files }) => files);
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const isLong = isLive && total > LONG_BYTES;
  const read: ReadSession<Result>[] = [];
  let done = 0;
  for (const session of sessions) {
    const results: Result[] = [];
    for (const { path, format, bytes } of session.files) {
      const { add, result } = meter();
      const options = { entries, ...(format && { format }) };
      const found = await readTranscriptFile(path, {
        ...options,
        onItems: (items) => items.forEach(add),
      });
      if (found !== undefined) results.push(result());
      done += bytes;
      if (isLong) tell(`\rreading ${Math.round((100 * done) / total)}%`);
    }
    if (results.length > 0) read.push({ session, results });
  }
  // Clears the line.
  if (isLong) tell("\r\u001B[2K");
  return read;
}

/** Keeps all items of a file. */
export function itemCollector(): Meter<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  return { add: (item) => void items.push(item), result: () => items };
}

const LONG_BYTES = 20_000_000;
