import type { Source } from "./trace-entries.ts";

/**
 * Renders sources as the model reads them: one block each, headed by the mark it cites.
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
  return sources.map(renderSource).join("\n\n");
}

function renderSource({ number, title, uri, text }: Source): string {
  const name = title === undefined ? "" : ` ${title}`;
  const place = uri === undefined ? "" : ` (${uri})`;
  return `[source${number}]${name}${place}\n${text}`;
}
