import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";

import type { SkipReason } from "./skipped-file.ts";

/** A text file's content, or why there is none. */
export type TextFile =
  | { readonly kind: "text"; readonly text: string; readonly sizeBytes: number }
  | { readonly kind: "skipped"; readonly reason: SkipReason };

/** Reads one file as UTF-8 text. Follows no link, waits for no pipe, and reads nothing above `maxBytes`. */
export async function readTextFile(
  path: string,
  options: { readonly maxBytes: number },
): Promise<TextFile> {
  try {
    // Windows has neither flag, which reads as 0; there the walk alone sees links.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const status = await file.stat();
    if (!status.isFile()) return { kind: "skipped", reason: "not-a-file" };
    if (status.size > options.maxBytes) return { kind: "skipped", reason: "too-large" };
    const bytes = await file.readFile();
    if (bytes.includes(0) || !isUtf8(bytes)) return { kind: "skipped", reason: "binary" };
    return {
      kind: "text",
      text: bytes.toString("utf8").replace(/^\uFEFF/, ""),
      sizeBytes: bytes.length,
    };
  } catch {
    return { kind: "skipped", reason: "unreadable" };
  }
}
