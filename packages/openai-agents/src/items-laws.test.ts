import type { HistoryEntry, Viewer } from "@agent-history/core";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { describe, expect, it } from "vitest";

import { itemPage, strangeItemPage } from "../test-messages/item-page.ts";
import { fromItems, toItems } from "./items.ts";

/** Entries as a store returns them: not the objects that were read, so that each item is written. */
function asStored(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map((entry) => {
    try {
      return { ...entry };
    } catch {
      return entry;
    }
  });
}

describeMessageFormat(
  "items of the OpenAI Agents SDK",
  {
    read: (items, options) => fromItems(items, options),
    write: (entries: readonly HistoryEntry[], viewer?: Viewer) =>
      toItems(asStored(entries), viewer),
    userMessage: (content) => ({ role: "user", content }),
    knownMessages: itemPage,
    strangeMessages: strangeItemPage,
  },
  { runs: 100 },
);

describe("toItems", () => {
  it("gives the objects back that entries came from", () => {
    const items = toItems(fromItems(itemPage));
    expect(items.every((item, index) => item === itemPage[index])).toBe(true);
    expect(items).toHaveLength(itemPage.length);
  });
});
