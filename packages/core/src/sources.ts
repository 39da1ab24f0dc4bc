import type { Content } from "./content.ts";
import type { Source } from "./history-entry.ts";
import { readOr } from "./over-readable.ts";

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

/** Returns content as a model is shown it: its sources a blank line below. */
export function withSources(content: Content, sources: readonly Source[]): Content {
  const rendered = renderSources(sources);
  if (rendered === "") return content;
  if (content.length === 0) return rendered;
  if (typeof content === "string") return `${content}\n\n${rendered}`;
  return [...content, { type: "text", text: `\n\n${rendered}` }];
}

function listed(sources: readonly Source[]): readonly Source[] {
  return readOr([], () => (Array.isArray(sources) ? Array.from<Source>(sources) : []));
}

function renderSource({ number, title, uri, text }: Source): string {
  const name = title === undefined ? "" : ` ${title}`;
  const location = uri === undefined ? "" : ` (${uri})`;
  return `[source${number}]${name}${location}\n${text}`;
}

const CITATION = /\[source:? ?\d{1,9}(?:, ?(?:source:? ?)?\d{1,9})*\]/gi;
const NUMBER = /\d+/gu;

/**
 * Reads the citation numbers of a text: `[source3]`, `[source3, source5]`, `[source: 3, 5]`. Linear.
 *
 * @returns Each number once, in order of first occurrence.
 *
 * @example
 * ```ts
 * import { citedSources } from "@agent-history/core";
 *
 * citedSources("Water boils [source3], ice melts [source: 5, 3].");
 * // => [3, 5]
 * ```
 */
export function citedSources(text: string): readonly number[] {
  const marks = text.match(CITATION) ?? [];
  const numbers = marks.flatMap((mark) => mark.match(NUMBER) ?? []).map(Number);
  return [...new Set(numbers)];
}
