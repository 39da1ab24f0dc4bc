import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";

import { transcriptFormat, transcriptReader } from "../transcript-format.ts";
import type { TranscriptFormat } from "../transcript-format.ts";
import type {
  TranscriptItem,
  TranscriptReader,
  TranscriptReaderOptions,
} from "../transcript-item.ts";

export interface ReadTranscriptFileOptions extends TranscriptReaderOptions {
  /** Default: detected from the first lines. */
  readonly format?: TranscriptFormat | undefined;
  /** Called with the items of each chunk of the file. The reader does not keep them. */
  readonly onItems: (items: readonly TranscriptItem[]) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Streams a transcript from a file (also `.gz`) and returns its format; `undefined` if the format is unknown. It keeps one chunk of the file and one message in memory.
 *
 * @throws Errors of the file system; the signal's reason.
 */
export async function readTranscriptFile(
  path: string,
  { onItems, format, signal, ...options }: ReadTranscriptFileOptions,
): Promise<TranscriptFormat | undefined> {
  let reader: TranscriptReader | undefined;
  let found = format;
  let waiting: string[] = [];
  for await (const chunk of lineChunks(path, { signal })) {
    const lines = waiting.length === 0 ? chunk : [...waiting, ...chunk];
    found ??= transcriptFormat(lines);
    reader ??= found && transcriptReader(found, options);
    if (reader) onItems(lines.flatMap(reader.read));
    waiting = reader || lines.length > MAX_UNKNOWN_LINES ? [] : [...lines];
  }
  if (reader) onItems(reader.end());
  return found;
}

/** Sessions may begin with lines that do not show their format. The limit avoids buffering the whole of another file. */
const MAX_UNKNOWN_LINES = 1000;

/**
 * Streams the lines of a file (also `.gz`). It keeps one chunk of the file and one line in memory.
 *
 * @throws Errors of the file system; the signal's reason.
 */
export async function* transcriptLines(
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<string> {
  for await (const lines of lineChunks(path, { signal })) yield* lines;
}

/** Streams the lines of a file, grouped by chunk: a generator step per line would cost more than parsing its JSON. */
async function* lineChunks(
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) });
  const bytes = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  // `pipe` does not forward errors.
  file.on("error", (error) => bytes.destroy(error));
  // Editors on Windows may begin files with a byte order mark; the decoder skips it.
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of bytes) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    const last = lines.pop() ?? "";
    if (lines[0] !== undefined) {
      lines[0] = [...rest, lines[0]].join("");
      rest = [];
      yield lines;
    }
    rest.push(last);
  }
  const last = [...rest, decoder.decode()].join("");
  if (last !== "") yield [last];
}

const CHUNK_BYTES = 1 << 18;
