import { readOr } from "./internal/read-or.ts";
import type { Source } from "./trace-entries.ts";

/**
 * Renders sources for the model: one block each, headed by its citation mark. Never throws: unreadable sources are left out,
 * and anything but a list renders as nothing.
 *
 * @example
 * ```ts
 * import { renderSources } from "@agent-history/core";
 *
 * renderSources([{ number: 3, id: "a", text: "Water boils at 100 °C.", title: "Physics", uri: "p.md#L7" }]);
 * // => "[source3] Physics (p.md#L7)\nWater boils at 100 °C."
 * ```
 */
export function renderSources(sources: readonly Source[]): string {
  return listed(sources)
    .map((source) => readOr("", () => renderSource(source)))
    .filter((text) => text !== "")
    .join("\n\n");
}

function listed(sources: readonly Source[]): readonly Source[] {
  return readOr([], () => (Array.isArray(sources) ? Array.from<Source>(sources) : []));
}

function renderSource({ number, title, uri, text }: Source): string {
  const name = title === undefined ? "" : ` ${title}`;
  const location = uri === undefined ? "" : ` (${uri})`;
  return `[source${number}]${name}${location}\n${text}`;
}
