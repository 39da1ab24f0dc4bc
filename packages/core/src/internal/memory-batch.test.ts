import { describe, expect, it } from "vitest";

import { userMessage } from "../create-entries.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError, isHistoryError } from "../history-error.ts";
import { soundBatch } from "./memory-batch.ts";

const theirs = new HistoryError("a secret", { code: "NOT_FOUND" });
const message = userMessage({ id: "u1", content: "Hello" });

describe("soundBatch", () => {
  it("gives the batch as JSON gives it back", () => {
    const batch = [{ ...message, metadata: { n: -0 } }];

    expect(soundBatch(batch, new Map())).toEqual([{ ...message, metadata: { n: 0 } }]);
  });

  it("lets no error of an entry pass, whatever it calls itself", () => {
    const throwing = {
      ...message,
      get content(): string {
        throw theirs;
      },
    };
    let reads = 0;
    const throwsLate = {
      ...message,
      get content(): string {
        reads += 1;
        if (reads > 2) throw theirs;
        return "Hello";
      },
    };
    for (const entry of [throwing, throwsLate]) {
      const error = refusalOf([entry]);

      expect(error?.code).toBe("INVALID_ENTRY");
      expect(error?.message).not.toContain("secret");
      expect(error?.cause).toBe(undefined);
    }
  });
});

function refusalOf(batch: readonly HistoryEntry[]): HistoryError | undefined {
  try {
    soundBatch(batch, new Map());
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
  return undefined;
}
