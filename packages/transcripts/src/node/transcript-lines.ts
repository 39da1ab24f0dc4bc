import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";

/**
 * Streams the lines of a file, `.gz` files too. It holds one chunk of the file and one line.
 *
 * @throws What the file system throws; the signal's reason.
 */
export async function* transcriptLines(
  path: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<string> {
  for await (const lines of lineChunks(path, { ...(signal && { signal }) })) yield* lines;
}

/** Streams the lines of a file, those of a chunk together: a step of a generator for each line would cost more than its JSON. */
export async function* lineChunks(
  path: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) });
  const bytes = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  // A pipe does not pass errors on.
  file.on("error", (error) => bytes.destroy(error));
  const decoder = new StringDecoder("utf8");
  let rest: string[] = [];
  let isFirst = true;
  for await (const chunk of bytes) {
    const text = decoder.write(chunk);
    // Editors on Windows begin files with a mark of their order of bytes.
    const lines = (isFirst ? text.replace(/^\uFEFF/, "") : text).split("\n");
    isFirst = false;
    const last = lines.pop() ?? "";
    if (lines[0] !== undefined) {
      lines[0] = [...rest, lines[0]].join("");
      rest = [];
      yield lines;
    }
    rest.push(last);
  }
  const last = [...rest, decoder.end()].join("");
  if (last !== "") yield [last];
}

const CHUNK_BYTES = 1 << 18;
