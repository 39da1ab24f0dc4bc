import { describe, expect, it } from "vitest";

import { userMessage } from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";
import { overReadable } from "./over-readable.ts";
import { selectEntries } from "./select-entries.ts";

const message = userMessage({ id: "u1", content: "Hello" });
const theirs = new HistoryError("a secret", { code: "NOT_FOUND" });
const throwing: HistoryEntry = {
  ...message,
  id: "u2",
  get content(): string {
    throw theirs;
  },
};
const unnamed: HistoryEntry = {
  ...message,
  get type(): "user_message" {
    throw theirs;
  },
};

describe("overReadable", () => {
  it("leaves out what throws a HistoryError when it is read", () => {
    const lengths = (entries: readonly HistoryEntry[]): readonly number[] =>
      entries.map((entry) => ("content" in entry ? (entry.content?.length ?? 0) : 0));

    expect(overReadable([throwing, message], lengths)).toEqual([5]);
    expect(overReadable([throwing, message], lengths, message)).toEqual([5, 5]);
  });

  it("leaves out what throws one only beside others", () => {
    const lastLength = (entries: readonly HistoryEntry[]): number => {
      const last = entries.length > 1 ? entries.at(-1) : undefined;
      return last !== undefined && "content" in last ? (last.content?.length ?? 0) : 0;
    };

    expect(overReadable([message, message, throwing], lastLength)).toBe(5);
  });

  it("passes on what is thrown on purpose, also where an entry cannot be read", () => {
    const ours = new HistoryError("Expected another option.", { code: "INVALID_OPTION" });
    const refuse = (): never => {
      throw ours;
    };

    expect(() => overReadable([message], refuse)).toThrow(ours);
    expect(() => overReadable([throwing, message], refuse)).toThrow(ours);
  });
});

describe("selectEntries", () => {
  it("leaves out what throws a HistoryError when it is read or counted", () => {
    const query = { clauses: [{}] };

    expect(selectEntries([unnamed, message], query)).toEqual([message]);
    expect(selectEntries([throwing, message], { ...query, maxBytes: 1000 })).toEqual([message]);
  });
});
