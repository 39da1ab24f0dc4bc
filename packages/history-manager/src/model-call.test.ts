import { agentView, assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryFilter } from "@agent-history/core";
import { detailsCleaner, functionCleaner, historyCleaner } from "@agent-history/postprocess";
import { describe, expect, it } from "vitest";

import { WORKER, codeOf, managerOptions, promptText } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

const CALL = { systemMessage: "You answer." };

describe("the system message", () => {
  it("is refused where it is none, and nothing is sent without it", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "a" });
    for (const wrong of [{}, { systemMessage: undefined }, { systemMessage: 5 }]) {
      expect(await codeOf(history.historyForModelCall(wrong as never))).toBe("INVALID_OPTION");
    }
  });
});

describe("the rendered message", () => {
  it("replaces the original, which stays in the log", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "a", rendered: "Asked: a" });
    await history.addUserMessage({ content: "b" });

    const rendered = { ...CALL, renderedUserMessage: "Asked: x" };
    const prompt = async (original?: string): Promise<readonly string[]> => {
      const which = original === undefined ? {} : { originalUserMessage: original };
      return promptText((await history.historyForModelCall({ ...rendered, ...which })).entries);
    };
    expect((await prompt()).slice(1)).toEqual(["user_message: Asked: a", "user_message: Asked: x"]);
    expect((await prompt("a")).slice(1)).toEqual(["user_message: Asked: x", "user_message: b"]);
    expect(await codeOf(prompt("c"))).toBe("NOT_FOUND");
    expect((await history.read()).entries).toMatchObject([{ content: "a" }, { content: "b" }]);
  });

  it("stands for the task where the view has no user message, and is the last message where it has neither", async () => {
    const history = createHistoryManager(managerOptions());
    const turn = history.beginTurn("t");
    await turn.addUserMessage({ content: "a" });
    const working = turn.forTask(await turn.addTask({ content: "Read.", agent: WORKER }));
    await working.addError({ content: "Late." });

    const call = { ...CALL, renderedUserMessage: "Do: Read." };
    expect(promptText((await working.historyForModelCall(call)).entries).slice(1)).toEqual([
      "task: Do: Read.",
      "error: Late.",
    ]);
    const other = await turn.historyForModelCall({ ...call, role: "manager" });
    expect(promptText(other.entries).slice(1)).toEqual(["user_message: Do: Read."]);
  });
});

describe("the system message", () => {
  it("is the caller's, never a stored one", async () => {
    const history = createHistoryManager(managerOptions());
    await history.append([
      systemMessage({ content: "Stored." }),
      userMessage({ content: "Hi", createdAtMs: 0 }),
    ]);
    const { entries } = await history.historyForModelCall(CALL);

    expect(promptText(entries)).toEqual(["system_message: You answer.", "user_message: Hi"]);
  });
});

describe("cleaning", () => {
  it("takes out of answers what the cleaner finds, and of a call with a cleaner what that finds", async () => {
    const cleaner = historyCleaner({ cleaners: [detailsCleaner()] });
    const history = createHistoryManager(managerOptions({ cleaner }));
    const added = "Yes.<details>x</details> 📈";
    await history.addUserMessage({ content: added });
    await history.addAssistantMessage({ content: added });
    const ofCall = historyCleaner({
      cleaners: [
        functionCleaner({ name: "chart", removeFromText: async (text) => text.replace(" 📈", "") }),
      ],
    });
    const asked = await history.historyForModelCall(CALL);
    const cleaned = await history.historyForModelCall({ ...CALL, cleaner: ofCall });

    expect(promptText(asked.entries).slice(1)).toEqual([
      `user_message: ${added}`,
      "assistant_message: Yes. 📈",
    ]);
    expect(promptText(cleaned.entries)[2]).toBe("assistant_message: Yes.<details>x</details>");
    expect((await history.read()).entries[1]).toMatchObject({ content: added });
  });
});

describe("the plan", () => {
  it("holds from call to call, and from process to process, until a cut is made", async () => {
    const options = managerOptions({ window: { contextTokens: 100 } });
    const isContinued: boolean[] = [];
    for (let turn = 1; turn <= 8; turn++) {
      const history = createHistoryManager(options);
      await history.addUserMessage({ content: "q".repeat(10) });
      const { entries, counts } = await history.historyForModelCall(CALL);
      await history.addAssistantMessage({ content: "a".repeat(10) });
      isContinued.push(counts.isContinued);
      expect(counts.shownTokens).toBeLessThanOrEqual(100);
      expect(entries.at(-1)).toMatchObject({ content: "q".repeat(10) });
    }
    // A cut makes room for several turns.
    expect(isContinued).toEqual([false, true, true, true, false, true, true, false]);
  });

  it("never trusts counts of what is no longer the same", async () => {
    const history = createHistoryManager(managerOptions({ window: { contextTokens: 100 } }));
    await history.addUserMessage({ content: "q".repeat(40) });
    await history.addAssistantMessage({ content: "a".repeat(30) });
    await history.addUserMessage({ content: "b" });
    await history.historyForModelCall({ systemMessage: "s" });
    const longer = await history.historyForModelCall({ systemMessage: "s".repeat(60) });
    expect(longer.counts).toMatchObject({ shownTokens: 61, isContinued: false });
    const rendered = { systemMessage: "s", renderedUserMessage: "b".repeat(90) };
    const { counts } = await history.historyForModelCall(rendered);
    expect(counts).toMatchObject({ shownTokens: 91, isContinued: false });
    const none = await history.historyForModelCall({ systemMessage: "s" });
    expect(none.counts).toMatchObject({ shownTokens: 72, isContinued: false });
  });

  it("is kept apart for each agent and purpose", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "q" });
    const ask = async (purpose?: string): Promise<boolean> => {
      const call = { systemMessage: purpose ?? "none", ...(purpose !== undefined && { purpose }) };
      return (await history.historyForModelCall(call)).counts.isContinued;
    };
    const asked = [];
    for (const purpose of ["plan", "answer", undefined, "plan", "answer", undefined])
      asked.push(await ask(purpose));
    expect(asked).toEqual([false, false, false, true, true, true]);
  });

  it("of another call that was kept meanwhile stands", async () => {
    const options = managerOptions();
    const { store } = options;
    const other = createHistoryManager(options);
    await other.addUserMessage({ content: "q" });
    const others = async (): Promise<unknown> =>
      other.historyForModelCall({ systemMessage: "other" });
    let isFirst = true;
    const history = createHistoryManager({
      ...options,
      store: {
        ...store,
        setState: async (...call) => {
          if (isFirst) await others();
          isFirst = false;
          return store.setState(...call);
        },
      },
    });
    await history.historyForModelCall(CALL);
    expect(await others()).toMatchObject({ counts: { isContinued: true } });
  });

  it("begins anew where a stored one cannot be read", async () => {
    const options = managerOptions();
    const history = createHistoryManager(options);
    await history.addUserMessage({ content: "q" });
    const first = await history.historyForModelCall(CALL);
    const { store, threadId } = options;
    const key = "history-manager/prompt:[null,null,null]";
    await store.setState(threadId, key, { plan: 7 }, { expectedRevision: 1 });

    expect(await history.historyForModelCall(CALL)).toEqual(first);
  });

  it("asks nothing of a thread that does not exist yet", async () => {
    const options = managerOptions();
    const { entries } = await createHistoryManager(options).historyForModelCall(CALL);
    expect(promptText(entries)).toEqual(["system_message: You answer."]);
    expect(await options.store.list()).toEqual({ threads: [] });
  });
});

describe("what a call sees", () => {
  it("is what the filter's query reads and its refinement leaves", async () => {
    const history = createHistoryManager(managerOptions());
    await history.append([
      userMessage({ id: "u1", content: "1" }),
      assistantMessage({ id: "a1", content: "2" }),
      userMessage({ id: "u2", content: "3" }),
    ]);
    const seen: unknown[] = [];
    const { plan } = await history.withScope({ agent: WORKER, phaseId: 3 }).historyForModelCall({
      ...CALL,
      previousPhaseId: 2,
      filter: {
        name: "own",
        query: (context) => {
          seen.push(context);
          return { clauses: [{ types: ["user_message"] }], view: agentView("reader-1") };
        },
        refine: (entries) => entries.slice(1),
      },
    });
    expect(seen[0]).toEqual({
      role: "worker",
      agentId: "reader-1",
      phaseId: 3,
      previousPhaseId: 2,
    });
    expect(plan.view).toBe("agent:reader-1");
    expect(plan.decisions.map(({ to }) => to).at(-1)).toBe("u2");
  });

  it("is not what the scope's agent stands in, where another agent asks", async () => {
    const history = createHistoryManager(managerOptions());
    const turn = history.beginTurn("t");
    const working = turn.forTask(await turn.addTask({ content: "Read.", agent: WORKER }));
    const seen: unknown[] = [];
    const filter: HistoryFilter = {
      name: "own",
      query: (context) => {
        seen.push(context);
        return { clauses: [] };
      },
      refine: (entries) => entries,
    };
    await working.historyForModelCall({ ...CALL, agentId: "other", filter });
    expect(seen).toEqual([{ agentId: "other", turnId: "t" }]);
  });

  it("says how much must be kept where that does not fit, and is there for the next call", async () => {
    const history = createHistoryManager(managerOptions({ window: { contextTokens: 20 } }));
    await history.addUserMessage({ content: "q".repeat(30) });
    const asked = history.historyForModelCall(CALL);
    await expect(asked).rejects.toMatchObject({
      code: "WINDOW_TOO_SMALL",
      details: { required: 41, available: 20 },
    });
    const larger = await history.historyForModelCall({ ...CALL, window: { contextTokens: 41 } });
    expect(larger.counts.shownTokens).toBe(41);
  });

  it("is refused where a signal has fired, in the request or beside it", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "x" });
    const signal = AbortSignal.abort();
    const call = { systemMessage: "s" };
    const aborted = { code: "ABORTED" };
    await expect(history.historyForModelCall({ ...call, signal })).rejects.toMatchObject(aborted);
    await expect(history.historyForModelCall(call, { signal })).rejects.toMatchObject(aborted);
  });
});
