import type { HistoryView } from "@agent-history/core";
import type { StoredSummary } from "@agent-history/store-kit/indexed";

import { decodeField, decodeKeyPart, encodeKeyPart } from "./encode-key-part.ts";

/** A summary's value in the hash of overlays: its view and its JSON. The script puts the order of the commit before it. */
export function encodeSummary({ view, json }: Pick<StoredSummary, "view" | "json">): string {
  return `${encodeKeyPart(view)} ${json}`;
}

/** A summary with the order of its commit. */
export interface OrderedSummary {
  readonly order: number;
  readonly summary: StoredSummary;
}

/** Reads a summary from its field and value. */
export function decodeSummary(field: string, value: string): OrderedSummary {
  const [order = "", view = ""] = value.split(" ", 2);
  const json = value.slice(order.length + view.length + 2);
  return {
    order: Number(order),
    summary: { id: decodeField(field), view: asView(decodeKeyPart(view)), json },
  };
}

function asView(text: string): HistoryView {
  return text === "conversation" || text === "thread" ? text : `agent:${text.slice(AGENT.length)}`;
}

const AGENT = "agent:";
