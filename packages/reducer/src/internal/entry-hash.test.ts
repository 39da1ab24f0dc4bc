import { action, observation, userMessage } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { describe, expect, it } from "vitest";

import { entryHash } from "./entry-hash.ts";

describe("entryHash", () => {
  it("is the same for equal entries, whatever their time and metadata", () => {
    const entry = userMessage({ id: "u1", createdAtMs: 1, content: "Hi" });
    const later = { ...entry, createdAtMs: 2, metadata: { seen: true } };
    expect(entryHash(later)).toBe(entryHash(entry));
    expect(entryHash(entry)).toBe(contentHash({ type: "user_message", id: "u1", content: "Hi" }));
  });

  it("differs with whatever a model is shown, or a fit depends on", () => {
    const fields = { callId: "c", toolName: "t", outcome: "success", content: "r" } as const;
    const result = observation({ id: "o", ...fields, createdAtMs: 0 });
    const origin = { format: "openai-chat", message: "o", index: 0, extra: { name: "Ann" } };
    const call = { id: "c", name: "t", arguments: "{}" };
    const all = [
      result,
      { ...result, id: "o2" },
      { ...result, content: "s" },
      { ...result, outcome: "error" as const },
      { ...result, pinned: true },
      { ...result, turnId: "1" },
      { ...result, agent: { id: "w", role: "worker" as const } },
      { ...result, sources: [{ number: 1, id: "s", text: "t" }] },
      { ...result, origin },
      { ...result, origin: { ...origin, extra: { name: "Bob" } } },
      action({ id: "x", toolCalls: [call], createdAtMs: 0 }),
      action({ id: "x", toolCalls: [{ ...call, arguments: "[]" }], createdAtMs: 0 }),
    ];
    expect(new Set(all.map(entryHash)).size).toBe(all.length);
  });

  it("hashes an object once", () => {
    let reads = 0;
    const entry = userMessage({ id: "u1", content: "Hi" });
    const get = (): string => {
      reads += 1;
      return "Hi";
    };
    const watched = Object.defineProperty({ ...entry }, "content", { get, enumerable: true });
    entryHash(watched);
    const once = reads;
    entryHash(watched);
    expect(reads).toBe(once);
    expect(once).toBeGreaterThan(0);
  });
});
