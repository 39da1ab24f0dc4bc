import { isHistoryError, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
let deep: unknown = 0;
for (let level = 0; level < 200_000; level++) deep = { deep };
const throwing = {
  get field(): never {
    throw new Error("unreadable");
  },
};
const STRANGE: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["undefined", undefined],
  ["a number", 7],
  ["a text", "text"],
  ["a list", [[]]],
  ["an empty object", {}],
  ["a cyclic value", cyclic],
  ["a value 200,000 levels deep", deep],
  ["a field that throws", throwing],
];

describe.each(STRANGE)("%s", (_, strange) => {
  it("is refused as an entry by append and sync, with a typed error, and nothing is written", async () => {
    const history = createHistoryManager(managerOptions());
    const sound = userMessage({ id: "u1", content: "Hello" });
    for (const entries of [[sound, strange], [{ ...sound, metadata: strange, id: 5 }]]) {
      for (const verb of ["append", "sync"] as const) {
        const error = await history[verb](entries as never).catch((thrown: unknown) => thrown);
        expect([isHistoryError(error, "INVALID_ENTRY"), error]).toEqual([true, error]);
      }
    }
    const message = history.addUserMessage({ content: "Hello", metadata: strange as never });
    const refusal = await message.catch((thrown: unknown) => thrown);
    if (refusal instanceof Error) expect(isHistoryError(refusal, "INVALID_ENTRY")).toBe(true);
    expect((await history.read()).version).toBe(refusal instanceof Error ? 0 : 1);
  });
});
