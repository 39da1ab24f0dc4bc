import { action, assistantMessage, observation, task, userMessage } from "@agent-history/core";
import type { EntryOrigin, HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { BOSS, WORKER, codeOf, managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

describe("append", () => {
  it("keeps three equal answers of three calls as three", async () => {
    const history = createHistoryManager(managerOptions());
    for (let time = 0; time < 3; time++) await history.append([answer("Done.", time)]);
    const { entries } = await history.read();

    expect(entries.map(({ content }) => content)).toEqual(["Done.", "Done.", "Done."]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
    // Neighbors of one origin would be rendered as one message.
    expect(new Set(entries.map(({ origin }) => origin?.message)).size).toBe(3);
    expect(entries.some(({ origin }) => origin?.derivedId !== undefined)).toBe(false);
  });

  it("takes the same objects for a retry, wherever they are sent from", async () => {
    const history = createHistoryManager(managerOptions());
    const answers = [answer("One."), answer("Two.")];
    const first = await history.beginTurn("t1").append(answers);
    const again = await history.beginTurn("t2").append(answers);
    await history.append([...answers, answers[0] ?? answer("")]);

    expect(again).toEqual(first);
    expect((await history.read()).entries).toEqual(first);
  });

  it("takes the same objects for a retry where the first answer was lost", async () => {
    let isLost = true;
    const store = memoryStore();
    const options = managerOptions({
      maxRetries: 0,
      store: {
        ...store,
        append: async (...request) => {
          const written = await store.append(...request);
          if (!isLost) return written;
          isLost = false;
          throw Object.assign(new Error("lost"), { name: "HistoryError", code: "OUTCOME_UNKNOWN" });
        },
      },
    });
    const history = createHistoryManager(options);
    const given = [answer("One.")];
    await history.append(given).catch(() => {});
    await history.append(given);
    expect((await history.read()).version).toBe(1);
  });

  it("pairs calls and results anew, in one call and in two", async () => {
    const history = createHistoryManager(managerOptions());
    await history.append([call("1"), result("1")]);
    await history.append([call("1"), result("1")]);
    await history.append([call("1")]);
    await history.append([result("1")]);
    const { entries } = await history.read();
    const actions = entries.filter(({ type }) => type === "action").map(({ id }) => id);
    const answered = entries.flatMap((entry) =>
      entry.type === "observation" ? [entry.actionId] : [],
    );

    expect(new Set(actions).size).toBe(3);
    expect(answered).toEqual(actions);
  });

  it("leaves a result whose call came by another way to its call id", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addToolCalls({ toolCalls: [{ id: "c1", name: "read", arguments: "{}" }] });
    const [kept] = await history.append([result("1")]);
    expect(kept).not.toHaveProperty("actionId");
    expect(kept).toMatchObject({ callId: "c1" });
  });

  it("keeps an id that is no derived one, and takes the same content for a retry from any scope", async () => {
    const history = createHistoryManager(managerOptions());
    const message = (content: string): HistoryEntry =>
      assistantMessage({ id: "ui-1", content, createdAtMs: Math.round(Math.random() * 1e9) });
    const [first] = await history
      .beginTurn("t1")
      .withScope({ agent: BOSS })
      .append([message("Hi.")]);
    const [again] = await history.beginTurn("t2").append([message("Hi.")]);

    expect(first).toMatchObject({ id: "ui-1", turnId: "t1", agent: BOSS });
    expect(again).toEqual(first);
    expect(await codeOf(history.append([message("Ho.")]))).toBe("DUPLICATE_ID");
    expect((await history.read()).version).toBe(1);
  });

  it("fills in turn, phase, task and agent where entries leave them out", async () => {
    const history = createHistoryManager(managerOptions());
    const boss = history.beginTurn("t1").withScope({ agent: BOSS }).beginPhase(2);
    const given = await boss.delegate({ id: "k1", agent: WORKER, content: "Read." });
    const worker = boss.forTask(given);
    const [question, work, own, handed] = await worker.append([
      userMessage({ content: "Hello" }),
      answer("Done."),
      assistantMessage({ content: "Then.", turnId: "t0" }),
      task({ content: "Look.", agent: BOSS }),
    ]);

    const scope = { turnId: "t1", phaseId: 2, taskId: "k1", agent: WORKER };
    expect(question).toMatchObject({ turnId: "t1" });
    expect(question).not.toHaveProperty("agent");
    expect(work).toMatchObject(scope);
    expect(own).toMatchObject({ turnId: "t0", agent: WORKER });
    expect(own).not.toHaveProperty("taskId");
    expect(handed).toMatchObject({ ...scope, agent: BOSS, from: WORKER });
  });
});

/** What a format makes of a message without an id: the same for the same place and text. */
function answer(content: string, createdAtMs = 0): HistoryEntry {
  return assistantMessage({
    id: `derived-${content}`,
    createdAtMs,
    content,
    origin: derived(content),
  });
}

function call(name: string): HistoryEntry {
  const toolCalls = [{ id: `c${name}`, name: "read", arguments: "{}" }];
  return action({ id: `derived-call-${name}`, toolCalls, origin: derived(`call-${name}`) });
}

function result(name: string): HistoryEntry {
  return observation({
    id: `derived-result-${name}`,
    actionId: `derived-call-${name}`,
    callId: `c${name}`,
    toolName: "read",
    outcome: "success",
    content: "Text.",
    origin: derived(`result-${name}`),
  });
}

function derived(message: string): EntryOrigin {
  return { format: "openai-chat", message, index: 0, derivedId: true };
}
