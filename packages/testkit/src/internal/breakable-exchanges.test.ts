import type { HistoryEntry } from "@agent-history/core";
import { userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { breakableExchanges } from "./breakable-exchanges.ts";

describe("breakableExchanges", () => {
  it("takes no id that is taken, of an entry or of an agent", () => {
    const before: readonly HistoryEntry[] = ["b1", "b7", "breaker-1"].map((id) =>
      userMessage({ id, content: "", agent: { id: "breaker-2", role: "worker" } }),
    );
    const after = breakableExchanges(before);
    const agentIds = after.map(({ agent }) => agent?.id);

    expect(new Set([...before, ...after].map(({ id }) => id)).size).toBe(
      before.length + after.length,
    );
    expect(agentIds).not.toContain("breaker-2");
    expect(new Set(agentIds).size).toBe(2);
  });
});
