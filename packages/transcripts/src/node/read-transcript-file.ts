import { transcriptFormat, transcriptReader } from "../transcript-format.ts";
import type { TranscriptFormat } from "../transcript-format.ts";
import type { TranscriptItem } from "../transcript-item.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "../transcript-reader.ts";
import { lineChunks } from "./transcript-lines.ts";

export interface ReadTranscriptFileOptions extends TranscriptReaderOptions {
  /** Default: told by the first lines. */
  readonly format?: TranscriptFormat;
  /** Called with the items of each chunk of the file: what is not kept is free to go. */
  readonly onItems: (items: readonly TranscriptItem[]) => void;
  readonly signal?: AbortSignal;
}

/**
 * Streams a transcript from a file, `.gz` files too, and returns its format; `undefined` if it is of no known format. It holds one chunk of the file and one message.
 *
 * @throws What the file system throws; the signal's reason.
 */
export async function readTranscriptFile(
  path: string,
  { onItems, format, signal, ...options }: ReadTranscriptFileOptions,
): Promise<TranscriptFormat | undefined> {
  let reader: TranscriptReader | undefined;
  let found = format;
  let waiting: readonly string[] = [];
  for await (const chunk of lineChunks(path, { ...(signal && { signal }) })) {
    const lines = waiting.length === 0 ? chunk : [...waiting, ...chunk];
    found ??= transcriptFormat(lines);
    reader ??= found && transcriptReader(found, options);
    if (reader) onItems(lines.flatMap(reader.read));
    waiting = reader || lines.length > MAX_UNKNOWN_LINES ? [] : lines;
  }
  if (reader) onItems(reader.end());
  return found;
}

/** A session begins with lines that say nothing of its format; a file of another kind is not read to its end in memory. */
const MAX_UNKNOWN_LINES = 1000;
