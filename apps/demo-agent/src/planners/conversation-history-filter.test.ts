import { userMessage } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";
import { describe, expect, it } from "vitest";

import { conversationHistoryFilter } from "./conversation-history-filter.ts";

describe("conversationHistoryFilter", () => {
  it("shows no turn for 0, and refuses what is no count", () => {
    const query = conversationHistoryFilter({ maxConversationTurns: 0 }).query({});

    expect(selectEntries([userMessage({ content: "Hello" })], query)).toEqual([]);
    expect(() => conversationHistoryFilter({ maxConversationTurns: -1 })).toThrow(
      /maxConversationTurns/,
    );
  });
});
