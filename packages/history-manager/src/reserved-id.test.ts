import { userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { managerOptions, promptText } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager } from "./index.ts";

const RESERVED = "history-manager/system";
const CALL = { systemMessage: "Be short." };

describe("an entry with the id of the instructions", () => {
  it.each<[string, (history: HistoryManager) => Promise<unknown>]>([
    ["append", async (history) => history.append([message("a"), message(RESERVED)])],
    ["sync", async (history) => history.sync([message("a"), message(RESERVED)])],
    ["addUserMessage", async (history) => history.addUserMessage(message(RESERVED))],
  ])("is refused by %s, which writes nothing", async (_, write) => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "First." });

    await expect(write(history)).rejects.toMatchObject({
      code: "DUPLICATE_ID",
      details: { entryId: RESERVED },
      message: expect.stringContaining("Nothing was written. Give the entry another id."),
    });
    const { entries } = await history.historyForModelCall(CALL);
    expect(promptText(entries)).toEqual(["system_message: Be short.", "user_message: First."]);
  });

  it("marks nothing as replaced when sync refuses it", async () => {
    const history = createHistoryManager(managerOptions());
    await history.sync([message("a"), message("b")]);
    await history.sync([message("a"), message(RESERVED)]).catch(() => {});

    expect(await history.sync([message("a"), message("b")])).toEqual([]);
  });

  it("is named where another writer stored it, and nothing is lost", async () => {
    const options = managerOptions();
    const history = createHistoryManager(options);
    await history.addUserMessage({ content: "First." });
    await history.historyForModelCall(CALL);
    await options.store.append("thread-1", [message(RESERVED)]);

    await expect(history.historyForModelCall(CALL)).rejects.toMatchObject({
      code: "DUPLICATE_ID",
      details: { entryId: RESERVED },
      message: expect.stringContaining("excludes the entry"),
    });
    expect((await history.read()).entries).toHaveLength(2);

    await options.store.replaceSuffix("thread-1", {
      from: RESERVED,
      replacement: [message("c")],
      expectedVersion: 2,
      operationId: "rename",
    });
    const { entries } = await history.historyForModelCall(CALL);
    expect(promptText(entries).slice(1)).toEqual(["user_message: First.", "user_message: Hi."]);
  });
});

function message(id: string): ReturnType<typeof userMessage> {
  return userMessage({ id, createdAtMs: 0, content: "Hi." });
}
