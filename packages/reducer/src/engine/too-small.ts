import { HistoryError } from "@agent-history/core";
import type { ModelWindow } from "@agent-history/core";
import type { RequestLoad } from "@agent-history/core/kit";

import type { brokenLimit } from "./limits.ts";
import { spareOf } from "./make-room.ts";
import type { Room } from "./room.ts";

/** How the error names what must stay, by the reason why it must. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["system message", "instructions"],
  ["pinned", "pins"],
  ["memory", "memories"],
  ["summary", "summaries"],
]);

/** Creates the error for a request that cannot fit. It lists tokens by kind of content, largest first. A larger window shortens results less and counts more for media of unknown size, so it may need a little more. */
export function tooSmall(room: Room): HistoryError {
  const { options, requestTokens } = room.context;
  const { contextTokens: available, outputReserveTokens = 0, marginTokens = 0 } = options.window;
  const parts = new Map([
    ["tools", requestTokens],
    ["reserved", outputReserveTokens + marginTokens],
  ]);
  for (const unit of room.reading.units) {
    const { isDropped, tokens, protectedAs = "other entries" } = unit;
    const name = NAMES.get(protectedAs) ?? protectedAs;
    if (!isDropped) parts.set(name, (parts.get(name) ?? 0) + tokens - spareOf(room, unit));
  }
  const required = [...parts.values()].reduce((sum, tokens) => sum + tokens);
  const largest = [...parts]
    .filter(([, tokens]) => tokens > 0)
    .toSorted(([, one], [, other]) => other - one);
  const list = largest.map(([name, tokens]) => `${name} ${tokens}`);
  return new HistoryError(
    `The content that must stay needs at least ${required} tokens, but the context window has ${available}. It consists of: ${list.join(", ")}. Shorten the largest part, or use a larger window.`,
    { code: "WINDOW_TOO_SMALL", details: { required, available, parts: list } },
  );
}

type Limit = NonNullable<ReturnType<typeof brokenLimit>>;

/** Creates the error for a request that exceeds another limit of the window, whatever is dropped. */
export function overLimit(limit: Limit, window: ModelWindow, load?: RequestLoad): HistoryError {
  const { totalBytes, totalImages, longestSidePixels } = load ?? {};
  const required = {
    maxBytes: totalBytes,
    maxImages: totalImages,
    maxImagePixels: longestSidePixels,
  }[limit];
  const available = window[limit] ?? window.manyImages?.maxImagePixels;
  return new HistoryError(
    `The content that must stay exceeds the window's \`${limit}\`, ${available}${required === undefined ? "" : `: it has ${required}`}. Remove or shrink images and files in the question, pins and instructions.`,
    { code: "WINDOW_TOO_SMALL", details: { limit, required, available } },
  );
}
