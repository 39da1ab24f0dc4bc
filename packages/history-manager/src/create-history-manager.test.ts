import { describe, expect, it } from "vitest";

import {
  BOSS,
  MANAGER,
  WORKER,
  codeOf,
  managerOptions,
  promptText,
} from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

const SYSTEM = "You answer.";

describe("createHistoryManager", () => {
  it("keeps a whole turn of a simple loop and shows it in its order", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ id: "u1", content: "What is in a.md?" });
    const call = { id: "c1", name: "read", arguments: '{"path":"a.md"}' };
    const action = await history.addToolCalls({ id: "x1", toolCalls: [call] });
    await history.addToolCallResults([
      {
        id: "o1",
        actionId: action.id,
        callId: "c1",
        toolName: "read",
        content: "1 passage.",
        sources: [{ id: "a.md#1", text: "Water." }],
      },
    ]);
    await history.addAssistantMessage({ id: "a1", content: "Water [source1]." });
    await history.addUserMessage({ id: "u2", content: "And else?" });

    const { entries, counts } = await history.historyForModelCall({ systemMessage: SYSTEM });
    expect(promptText(entries)).toEqual([
      "system_message: You answer.",
      "user_message: What is in a.md?",
      "action: ",
      "observation: 1 passage.[source1]",
      "assistant_message: Water [source1].",
      "user_message: And else?",
    ]);
    expect(counts).toMatchObject({ viewEntries: 6, shownEntries: 6, isContinued: false });
    expect(counts.viewTokens).toBe(counts.shownTokens);
  });

  it("makes its reducer from its counter, so that both count the same", async () => {
    const { reducer: _, ...options } = managerOptions();
    const counted: string[] = [];
    const counter = {
      id: "ones",
      countText: () => 1,
      countRequest: () => 0,
      countEntry: ({ id }: { readonly id: string }) => {
        counted.push(id);
        return 1;
      },
    };
    const history = createHistoryManager({ ...options, counter, window: { contextTokens: 2 } });
    await history.addUserMessage({ id: "u1", content: "Who is Ada?" });
    await history.addAssistantMessage({ id: "a1", content: "A programmer." });
    await history.addUserMessage({ id: "u2", content: "When did she live?" });

    const { entries, plan } = await history.historyForModelCall({ systemMessage: SYSTEM });
    expect(promptText(entries)).toEqual([
      "system_message: You answer.",
      "user_message: When did she live?",
    ]);
    expect(plan.totalTokens).toBe(2);
    expect(counted).toContain("u2");
  });

  it("fills in turn, phase, task and agent, and who gives a task", async () => {
    const history = createHistoryManager(managerOptions());
    const turn = history.beginTurn("turn-1");
    await turn.addUserMessage({ content: "Compare." });
    const boss = turn.withScope({ agent: BOSS });
    await boss.addPlan({ content: "1. collect" });
    const phase = boss.beginPhase("collect");
    const managing = phase.forTask(await phase.delegate({ content: "Collect.", agent: MANAGER }));
    const working = managing.forTask(
      await managing.delegate({ id: "t2", content: "Read a.md.", agent: WORKER }),
    );
    await working.addFinal({ content: "Read." });
    await managing.addSynthesis({ content: "Collected." });
    await boss.addAssistantMessage({ content: "Compared." });

    const { entries } = await history.read();
    expect(
      entries.map(({ type, turnId, phaseId, taskId, agent }) => [
        type,
        turnId,
        phaseId,
        taskId,
        agent?.id,
      ]),
    ).toEqual([
      ["user_message", "turn-1", undefined, undefined, undefined],
      ["strategic_plan", "turn-1", undefined, undefined, "boss"],
      ["delegation", "turn-1", "collect", undefined, "boss"],
      ["task", "turn-1", "collect", undefined, "manager-1"],
      ["delegation", "turn-1", "collect", managing.scope.taskId, "manager-1"],
      ["task", "turn-1", "collect", managing.scope.taskId, "reader-1"],
      ["final", "turn-1", "collect", "t2", "reader-1"],
      ["synthesis", "turn-1", "collect", managing.scope.taskId, "manager-1"],
      ["assistant_message", "turn-1", undefined, undefined, "boss"],
    ]);
    expect(entries.flatMap((entry) => (entry.type === "task" ? [entry.from?.id] : []))).toEqual([
      "boss",
      "manager-1",
    ]);
  });

  it("shows each role its own view, from its own window", async () => {
    const large = { contextTokens: 1000 };
    const window = { orchestrator: large, manager: large, worker: { contextTokens: 60 } };
    const history = createHistoryManager(managerOptions({ window }));
    const turn = history.beginTurn("turn-1");
    await turn.addUserMessage({ content: "q".repeat(50) });
    const boss = turn.withScope({ agent: BOSS });
    const working = boss.forTask(await boss.addTask({ content: "Read.", agent: WORKER }));
    await working.addError({ content: "e".repeat(50) });
    await working.addError({ content: "f" });
    await boss.withScope({ agent: MANAGER }).addSynthesis({ phaseId: 1, content: "Done." });

    const own = { systemMessage: SYSTEM };
    expect(promptText((await boss.historyForModelCall(own)).entries)).toEqual([
      `system_message: ${SYSTEM}`,
      `user_message: ${"q".repeat(50)}`,
      "synthesis: [Synthesis from manager-1 of phase 1]\nDone.",
    ]);
    const worker = await working.historyForModelCall(own);
    expect(promptText(worker.entries)).toEqual([
      `system_message: ${SYSTEM}`,
      "task: Read.",
      "error: f",
    ]);
    expect(worker.counts).toMatchObject({ viewEntries: 4, viewTokens: 67, shownTokens: 17 });
    const manager = await boss.historyForModelCall({
      ...own,
      role: "manager",
      agentId: "m",
      phaseId: 2,
    });
    expect(promptText(manager.entries)).toEqual([
      `system_message: ${SYSTEM}`,
      "synthesis: [Synthesis from manager-1 of phase 1]\nDone.",
    ]);
  });

  it("refuses a role without a filter rather than show it everything", async () => {
    const history = createHistoryManager(managerOptions({ filters: {} }));
    const asked = history.historyForModelCall({ systemMessage: SYSTEM, role: "manager" });
    expect(await codeOf(asked)).toBe("INVALID_OPTION");
  });

  it("refuses options that can never work", () => {
    for (const wrong of [
      { window: { contextTokens: -1 } },
      { window: { contextTokens: 10, marginTokens: 0.5 } },
      { maxRetries: -1 },
      { threadId: "" },
      { threadId: undefined },
      { store: {} },
    ] as object[]) {
      expect(() => createHistoryManager(managerOptions(wrong))).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    }
  });

  it("keeps nothing once the signal has fired", async () => {
    const history = createHistoryManager(managerOptions());
    const options = { signal: AbortSignal.abort() };
    expect(await codeOf(history.addUserMessage({ content: "Hi" }, options))).toBe("ABORTED");
    expect((await history.read()).version).toBe(0);
  });
});
