import { describe, expect, it, vi } from "vitest";

import { action, attachment, observation, userMessage } from "./create-entries.ts";
import { HistoryError, isHistoryError } from "./history-error.ts";

describe("userMessage", () => {
  it("takes id and time from the sources handed in", () => {
    const sources = { newId: () => "u1", now: () => 5 };
    expect(userMessage({ content: "Hello" }, sources)).toEqual({
      type: "user_message",
      id: "u1",
      createdAtMs: 5,
      content: "Hello",
    });
  });

  it("keeps an id and a time that are given", () => {
    expect(userMessage({ id: "u9", createdAtMs: 1, content: "" }).id).toBe("u9");
  });

  it("makes ids by default that are UUIDs of version 7 and sort by time", () => {
    const before = Date.now();
    const ids = Array.from({ length: 1000 }, () => userMessage({ content: "" }).id);
    const form = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;
    expect(ids.every((id) => form.test(id))).toBe(true);
    const time = Number.parseInt(ids[0]?.replace("-", "").slice(0, 12) ?? "", 16);
    expect(time).toBeGreaterThanOrEqual(before);
  });

  it("makes ids that are unique where the clock stands still", () => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const ids = Array.from({ length: 20_000 }, () => userMessage({ content: "" }).id);
    clock.mockRestore();
    expect(new Set(ids).size).toBe(20_000);
  });

  it("does not let an id that is undefined through", () => {
    const fields: { content: string; id?: string } = JSON.parse('{"content":""}');
    expect(userMessage({ ...fields }, { newId: () => "u1" }).id).toBe("u1");
  });
});

describe("observation", () => {
  it("refuses a missing call id, and says what to do", () => {
    const fields = { toolName: "read", outcome: "success", content: "" } as const;
    expect(errorOf(() => observation({ ...fields, callId: "" }))).toMatchObject({
      code: "INVALID_ENTRY",
      details: { path: "callId" },
      message: "Expected observation to have `callId`.",
    });
  });
});

describe("action", () => {
  it("refuses an action without calls, or a call without an id", () => {
    expect(errorOf(() => action({ toolCalls: [] }))?.details).toEqual({ path: "toolCalls" });
    const nameless = { toolCalls: [{ id: "", name: "read", arguments: "" }] };
    expect(errorOf(() => action(nameless))?.details).toEqual({ path: "toolCalls.0.id" });
  });
});

describe("attachment", () => {
  it("refuses to stand without its message", () => {
    const error = errorOf(() => attachment({ messageId: "", content: "" }));
    expect(error?.details).toEqual({ path: "messageId" });
  });
});

describe("isHistoryError", () => {
  it("knows an error of another copy of the package by name and code", () => {
    const foreign = Object.assign(new Error("x"), { name: "HistoryError", code: "NOT_FOUND" });
    expect(isHistoryError(foreign)).toBe(true);
    expect(isHistoryError(foreign, "NOT_FOUND")).toBe(true);
    expect(isHistoryError(foreign, "ABORTED")).toBe(false);
  });

  it("does not take another error, or no error, for one", () => {
    expect(isHistoryError(new Error("x"))).toBe(false);
    expect(isHistoryError({ name: "HistoryError", code: "NOT_FOUND" })).toBe(false);
  });

  it("keeps the cause", () => {
    const cause = new Error("inner");
    expect(new HistoryError("outer", { code: "ABORTED", cause }).cause).toBe(cause);
  });
});

function errorOf(work: () => unknown): HistoryError | undefined {
  try {
    work();
  } catch (error) {
    if (isHistoryError(error)) return error;
  }
  return undefined;
}
