import { assistantMessage, systemMessage, userMessage } from "@agent-history/core";
import type { EntryOrigin, HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { BOSS, WORKER, codeOf, managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

describe("sync", () => {
  it("keeps a conversation that is handed in whole, again and again, once", async () => {
    const history = createHistoryManager(managerOptions());
    const said = ["Hi", "Done.", "More", "Done.", "More", "Done."];
    for (let length = 1; length <= said.length; length++) {
      const appended = await history.sync(chat(said.slice(0, length)));
      expect(appended.map(({ content }) => content)).toEqual(said.slice(length - 1, length));
    }
    expect(await history.sync(chat(said))).toEqual([]);
    expect(await contents(history)).toEqual(said);
  });

  it("goes on in another process, and beside what the verbs have kept", async () => {
    const options = managerOptions();
    await createHistoryManager(options).sync(chat(["Hi"]));
    await createHistoryManager(options).addAssistantMessage({ content: "Hello." });
    const next = createHistoryManager(options).beginTurn("t2");
    await next.withScope({ agent: WORKER }).addError({ content: "Not of the conversation." });
    const appended = await next.sync(chat(["Hi", "Hello.", "And?"]));

    expect(appended).toMatchObject([{ type: "user_message", content: "And?", turnId: "t2" }]);
  });

  it("keeps what follows the common beginning where the conversation was edited, once", async () => {
    const history = createHistoryManager(managerOptions());
    await history.sync(chat(["Hi", "Hello.", "Who?", "Me."]));
    const edited = ["Hi", "Hello.", "What?"];
    expect((await history.sync(chat(edited))).map(({ content }) => content)).toEqual(["What?"]);
    expect(await history.sync(chat(edited))).toEqual([]);
    const longer = await history.sync(chat([...edited, "This."]));

    expect(longer.map(({ content }) => content)).toEqual(["This."]);
    expect(await contents(history)).toEqual(["Hi", "Hello.", "What?", "This."]);
    // Back to the version before: nothing of the other stays in view.
    await history.sync(chat(["Hi", "Hello.", "Who?"]));
    expect(await contents(history)).toEqual(["Hi", "Hello.", "Who?"]);
    const { entries } = await history.historyForModelCall({ systemMessage: "s" });
    expect(entries.at(-1)?.content).toBe("Who?");
  });

  it("takes a shorter conversation for one that was sent before", async () => {
    const history = createHistoryManager(managerOptions());
    await history.sync(chat(["Hi", "Hello."]));
    expect(await history.sync(chat(["Hi"]))).toEqual([]);
    expect(await history.sync(chat(["Hi", "Hello."]))).toEqual([]);
  });

  it("does not take instructions that change for another conversation", async () => {
    const history = createHistoryManager(managerOptions());
    const told = (content: string) => systemMessage({ id: `s${content}`, content, origin: ORIGIN });
    await history.sync([told("Monday"), ...chat(["Hi"])]);
    const appended = await history.sync([told("Tuesday"), ...chat(["Hi", "Hello."])]);
    expect(appended.map(({ content }) => content)).toEqual(["Tuesday", "Hello."]);
  });

  it("keeps instructions that stand among what was replaced, once", async () => {
    const history = createHistoryManager(managerOptions());
    const told = (): HistoryEntry =>
      systemMessage({ id: "s", content: "Be brief.", origin: ORIGIN });
    const [hi, ...said] = chat(["Hi", "Hello.", "Who?"]).flatMap((entry, index) =>
      index === 1 ? [told(), entry] : [entry],
    );
    if (hi === undefined) throw new Error("unreachable");
    await history.sync([hi, ...said]);
    const edited = (): readonly HistoryEntry[] => [...chat(["Oh"]), told(), ...chat(["What?"])];
    expect((await history.sync(edited())).map(({ content }) => content)).toEqual([
      "Oh",
      "Be brief.",
      "What?",
    ]);
    expect(await history.sync(edited())).toEqual([]);
    expect(await contents(history)).toEqual(["Oh", "Be brief.", "What?"]);
  });

  it("keeps instructions as often as they are given", async () => {
    const history = createHistoryManager(managerOptions());
    const told = (id: string): HistoryEntry =>
      systemMessage({ id, content: "Be brief.", origin: ORIGIN });
    await history.sync([told("s1"), ...chat(["Hi"])]);
    const twice = (): readonly HistoryEntry[] => [told("s1"), ...chat(["Hi"]), told("s2")];
    expect((await history.sync(twice())).map(({ content }) => content)).toEqual(["Be brief."]);
    expect(await history.sync(twice())).toEqual([]);
  });

  it("knows entries with ids of their own by these", async () => {
    const history = createHistoryManager(managerOptions());
    const named = (id: string) => userMessage({ id, content: "Again" });
    await history.sync([named("1")]);
    expect(await history.sync([named("1"), named("2")])).toMatchObject([{ id: "2" }]);
  });

  it("appends what follows the longest common beginning, whatever comes after what", async () => {
    const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 4 }), async (chats) => {
        const history = createHistoryManager(managerOptions());
        let held: readonly string[] = [];
        for (const said of chats) {
          const differing = said.findIndex((text, index) => text !== held[index]);
          const common = differing < 0 ? said.length : differing;
          const appended = await history.sync(chat(said));
          expect(appended.map(({ content }) => content)).toEqual(said.slice(common));
          if (said.length > common) held = said;
          expect(await contents(history)).toEqual(held);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("neither loses nor doubles where two processes hand in the same", async () => {
    const options = managerOptions({ store: memoryStore() });
    const said = ["Hi", "Done.", "More", "Done."];
    await Promise.all([1, 2, 3].map(() => createHistoryManager(options).sync(chat(said))));
    expect(await contents(createHistoryManager(options))).toEqual(said);
  });
});

describe("beginTurn with expectedVersion", () => {
  it("lets one of two equal requests begin its turn, and refuses the other", async () => {
    const options = managerOptions();
    const { version } = await createHistoryManager(options).read();
    const request = async (): Promise<string | undefined> => {
      const turn = createHistoryManager(options).beginTurn({ expectedVersion: version });
      return codeOf(turn.addUserMessage({ content: "Pay the bill." }));
    };
    const codes = await Promise.all([request(), request()]);

    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes).toContain("VERSION_CONFLICT");
    expect((await createHistoryManager(options).read()).version).toBe(1);
  });

  it("expects it of the first write only, from whichever scope of the turn", async () => {
    const history = createHistoryManager(managerOptions());
    const turn = history.beginTurn({ turnId: "t1", expectedVersion: 0 });
    await turn.withScope({ agent: BOSS }).append([userMessage({ content: "Hi" })]);
    await turn.addAssistantMessage({ content: "Hello." });
    expect((await history.read()).entries.map(({ turnId }) => turnId)).toEqual(["t1", "t1"]);
  });

  it("is begun again by its own first entry", async () => {
    const options = managerOptions();
    const begin = async () => {
      const turn = createHistoryManager(options).beginTurn({ turnId: "t", expectedVersion: 0 });
      return turn.addUserMessage({ id: "u1", content: "Hi" });
    };
    expect(await begin()).toEqual(await begin());
    expect((await createHistoryManager(options).read()).version).toBe(1);
  });

  it("numbers sources in the first write too", async () => {
    const history = createHistoryManager(managerOptions());
    const results = [{ callId: "c", toolName: "t", sources: [{ id: "a", text: "A" }] }];
    const late = history.beginTurn({ expectedVersion: 3 });
    expect(await codeOf(late.addToolCallResults(results))).toBe("VERSION_CONFLICT");
    const [kept] = await history.beginTurn({ expectedVersion: 0 }).addToolCallResults(results);
    expect(kept?.sources).toMatchObject([{ number: 1 }]);
  });

  it("refuses what is no version", () => {
    const history = createHistoryManager(managerOptions());
    expect(() => history.beginTurn({ expectedVersion: -1 })).toThrowError(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});

const ORIGIN: EntryOrigin = { format: "openai-chat", message: "m", index: 0, derivedId: true };

/** A conversation as a format reads it anew: users and answers in turn, equal ids for equal texts. */
function chat(texts: readonly string[]): readonly HistoryEntry[] {
  return texts.map((content, index) => {
    const fields = { id: `derived-${content}`, content, origin: { ...ORIGIN, message: content } };
    return index % 2 === 0 ? userMessage(fields) : assistantMessage(fields);
  });
}

async function contents(history: ReturnType<typeof createHistoryManager>) {
  return (await history.read()).entries.map(({ content }) => content);
}
