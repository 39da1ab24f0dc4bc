import type { Content, ContentPart } from "./content.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { readOr } from "./over-readable.ts";

/** A result split for providers that accept only text in results. */
export interface SplitResult {
  /** For the result itself: a line in place of each image or file. */
  readonly inResult: Content;
  /** For a user message after the results: the images and files, after a line that names their call. */
  readonly beside: readonly ContentPart[];
}

/**
 * Moves images and files out of a result, for formats whose results are text. Counters count it the same way.
 *
 * @param content - The rendered content of the entry, with its sources.
 * @returns `undefined` if the entry is not an `observation` or has nothing to move: text stays, and so does a file that is only a URL.
 *
 * @example
 * ```ts
 * import { observation } from "@agent-history/core";
 * import { splitResultMedia } from "@agent-history/core/kit";
 *
 * const image = { type: "image", source: { kind: "url", url: "https://a.example/p.png" } } as const;
 * const fields = { callId: "c1", toolName: "look", outcome: "success" } as const;
 * const content = [{ type: "text", text: "Found it." } as const, image];
 * splitResultMedia(observation({ ...fields, content }), content);
 * // => {
 * //   inResult: [{ type: "text", text: "Found it." }, { type: "text", text: "[image]" }],
 * //   beside: [{ type: "text", text: "Shown by the result of look (call c1):" }, image],
 * // }
 * ```
 */
export function splitResultMedia(entry: HistoryEntry, content: Content): SplitResult | undefined {
  return readOr(undefined, () => {
    if (entry.type !== "observation" || typeof content === "string") return undefined;
    const media = content.filter(isMedia);
    if (media.length === 0) return undefined;
    const label = `Shown by the result of ${entry.toolName} (call ${entry.callId}):`;
    return {
      inResult: content.map((part) => (isMedia(part) ? text(`[${part.type}]`) : part)),
      beside: [text(label), ...media],
    };
  });
}

/** Returns whether a user message may come from {@link splitResultMedia}: its line, then only images and files. */
export function isResultMedia(content: Content | undefined): boolean {
  return readOr(false, () => {
    const [label, ...media] = typeof content === "string" ? [] : (content ?? []);
    if (label?.type !== "text" || media.length === 0 || !media.every(isMedia)) return false;
    return /^Shown by the result of .* \(call .*\):$/su.test(label.text);
  });
}

function isMedia(part: ContentPart): boolean {
  if (part.type !== "image" && part.type !== "file") return false;
  const { kind } = part.source;
  return kind === "data" || kind === "id" || (kind === "url" && part.type === "image");
}

function text(said: string): ContentPart {
  return { type: "text", text: said };
}
