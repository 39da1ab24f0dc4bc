import { pageTemplate } from "#page-template";

import type { InspectorData } from "./inspector-data.ts";
import { packData } from "./internal/packed-data.ts";
import type { PackedData } from "./internal/packed-data.ts";

/** Options of {@link inspectorPage}. */
export interface InspectorPageOptions {
  /**
   * The token table with which what-if counts shortened text: `o200kBaseRanks()` of `@agent-history/tokens/o200k-base`, 1.1 MB gzipped. It is used only if that counter counted the rows. Default: such
   * text is estimated by its length, and the page marks it as an estimate.
   */
  readonly ranks?: string | undefined;
}

/**
 * Renders data as one self-contained HTML page: a heat map of entries by model calls, the prompts of each role, the difference between two requests, compactions, what-if,
 * and cost. It works as a file and offline. Its content security policy allows only this page's script and loads nothing. Text of the conversation is shown as text.
 *
 * @example
 * ```ts
 * import { inspectorPage, inspectSession } from "@agent-history/inspector";
 *
 * inspectorPage(inspectSession([], { title: "A session" })).includes("<title>A session</title>");
 * // => true
 * ```
 */
export function inspectorPage(data: InspectorData, options: InspectorPageOptions = {}): string {
  const { ranks = "" } = options;
  const parts = pageTemplate().split(/%TITLE%|%DATA%|%RANKS%/);
  const [beforeTitle = "", beforeData = "", beforeRanks = "", end = ""] = parts;
  const [title, json] = [escaped(data.title), embedded(packData(data))];
  return [beforeTitle, title, beforeData, json, beforeRanks, embedded(ranks), end].join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Serializes JSON for an inert element. Escaping `<` keeps the text from ending the element or opening another. */
function embedded(value: PackedData | string): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
