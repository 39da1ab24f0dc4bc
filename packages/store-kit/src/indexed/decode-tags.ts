import { HistoryError } from "@agent-history/core";

/**
 * Reads the tags of a thread from their JSON; none where there is none.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is no list of strings. It quotes nothing.
 */
export function decodeTags(json: string | undefined): readonly string[] {
  if (json === undefined) return [];
  try {
    const tags: unknown = JSON.parse(json);
    if (Array.isArray(tags) && tags.every((tag) => typeof tag === "string")) return tags;
  } catch {
    // Said below: the engine's own error quotes the text.
  }
  throw new HistoryError(
    "Expected the tags of the thread to be what this package wrote. Write them once more with `setMetadata`.",
    { code: "THREAD_CORRUPT", details: { reason: "tags" } },
  );
}
