import { pageTemplate } from "#page-template";

import type { InspectorData } from "./inspector-data.ts";
import { packData } from "./internal/packed-data.ts";

/**
 * Writes data as one HTML page, with all that it runs: a heat map of entries by model calls, the prompts of each role, the difference between two requests, compactions, what if,
 * and cost. It works as a file and offline; its content security policy runs this page's script only and loads nothing. Text of the conversation is shown as text.
 *
 * @example
 * ```ts
 * import { inspectorPage, inspectSession } from "@agent-history/inspector";
 *
 * inspectorPage(inspectSession([], { title: "A session" })).includes("<title>A session</title>");
 * // => true
 * ```
 */
export function inspectorPage(data: InspectorData): string {
  const [beforeTitle = "", beforeData = "", end = ""] = pageTemplate().split(/%TITLE%|%DATA%/);
  return [beforeTitle, escaped(data.title), beforeData, embedded(data), end].join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** JSON in an element that is not executed: without `<` nothing in it ends that element or begins another. */
function embedded(data: InspectorData): string {
  return JSON.stringify(packData(data)).replaceAll("<", "\\u003c");
}
