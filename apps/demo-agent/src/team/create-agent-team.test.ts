import { checkHistory } from "@agent-history/core/check";
import { memoryStore } from "@agent-history/core/memory-store";
import { offlineModel, openFolder } from "@agent-history/offline-model";
import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import { checkCitations } from "../../test-support/check-citations.ts";
import { countingSources } from "../../test-support/counting-sources.ts";
import { expectedView } from "../../test-support/expected-view.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import { roleWindows } from "../history/role-windows.ts";
import { countTokens } from "../prompt/count-tokens.ts";
import { createAgentTeam } from "./create-agent-team.ts";

const QUESTIONS = [
  "How long does a valve stay open when rain is forecast?",
  "When is a tomato ripe?",
  "Does that valve you found first open when the soil is dry?",
];

/** Prompts as the filters leave them. */
const UNCUT = { windows: roleWindows([1_000_000]), compressAbove: Infinity };

describe("createAgentTeam", () => {
  it.each([
    [QUESTIONS[0], "src/valve_controller.py", "When rain is forecast the valve stays shut"],
    ["When is a tomato ripe?", "notes/tomatoes.md", "comes off the stem with a light twist"],
    [
      "Why are three samples of the soil's moisture read?",
      "src/moisture-sensor.ts",
      "one wet stone does not fool it",
    ],
    ["What attracts rats to compost?", "notes/compost.md", "Meat and bones attract rats"],
    ["Which plants are in the north bed?", "config/beds.json", '"tomato", "basil"'],
    [
      "What does choose_valve_duration do?",
      "src/valve_controller.py",
      "how long a valve stays open",
    ],
  ])("answers %j from %s", async (question = "", path, words) => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { team } = await gardenTeam();

    const { text } = await team.ask(question);
    const [first] = await checkCitations(text, garden.path);

    expect(text).toContain(words);
    expect(first).toEqual({ path });
  });

  it("names the words that no document has, and cites nothing", async () => {
    const { team } = await gardenTeam();

    for (const question of ["Who won the boat race?", "Who won the boat race with compost?"]) {
      const { text } = await team.ask(question);
      expect(text).toMatch(/^Nothing in these documents speaks of “won”, “boat” or “race”/);
      expect(text).not.toContain("[source");
    }
  });

  it("cites over several turns what stands at the lines it names", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { team } = await gardenTeam();

    for (const question of QUESTIONS) {
      const citations = await checkCitations((await team.ask(question)).text, garden.path);
      expect(citations.length).toBeGreaterThan(0);
      expect(citations.filter(({ problem }) => problem !== undefined)).toEqual([]);
    }
  });

  it.each([
    ["a question as long as a page", `When is a tomato ripe? ${"Tell me, please. ".repeat(300)}`],
    ["a question of several lines, with colons", "Tomatoes:\n\nwhen: is a tomato\nripe?"],
  ])("answers %s", async (_, question) => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { team, entries } = await gardenTeam();

    expect((await checkCitations((await team.ask(question)).text, garden.path))[0]).toEqual({
      path: "notes/tomatoes.md",
    });
    expect(
      entries.filter((entry) => entry.type === "observation" && entry.outcome === "error"),
    ).toEqual([]);
  });

  it("quotes exactly also from a line that it was shown in part, and from a file of any name", async () => {
    const path = "odd (name): 1-2 [x]/ripe tomato $& #1.md";
    const files = { [path]: `A ripe tomato of the old kind ${"goes on and ".repeat(400)}on` };
    await using folder = await temporaryFolder(files);
    const { team, entries } = await gardenTeam({ folder: await openFolder(folder.path) });

    for (const question of ["Is there a ripe tomato of the old kind?", "And what about that?"]) {
      const [first] = await checkCitations((await team.ask(question)).text, folder.path);
      expect(first).toEqual({ path });
    }
    expect(JSON.stringify(entries)).toContain("And what about ripe tomato $& #1?");
  });

  it("understands a question that refers to an earlier answer", async () => {
    const { team, entries } = await gardenTeam();
    for (const question of QUESTIONS) await team.ask(question);
    const plans = entries.filter(({ type }) => type === "strategic_plan");

    expect(plans[2]).toMatchObject({
      content: expect.stringContaining("(see `src/valve_controller.py`)"),
    });
  });

  it("takes a file that repeats the question for no evidence", async () => {
    const question = "When is a tomato ripe, and how do I know?";
    const { team, entries } = await gardenTeam({
      files: {
        "notes/tomato-ripe.md": `# When is a tomato ripe\n\n${question} A ripe tomato is blue.\n`,
        "README.md": `Ask: "when is a TOMATO ripe -- and how do I\nknow". A tomato is ripe when blue.\n`,
      },
    });

    const { text } = await team.ask(question);

    expect(text).toMatch(/^notes\/tomatoes\.md:/);
    expect(JSON.stringify(entries)).not.toContain("blue");
    expect(entries.find(({ type }) => type === "global_observation")).toMatchObject({
      content: expect.stringContaining("are no evidence: README.md, notes/tomato-ripe.md."),
    });
  });

  it("shows each role what the design allows it, and nothing else", async () => {
    const { team, calls } = await gardenTeam(UNCUT);
    for (let turn = 0; turn < 10; turn++) await team.ask(`${QUESTIONS[turn % 3]} (${turn})`);

    expect(new Set(calls.map(({ agent }) => agent.role)).size).toBe(3);
    for (const call of calls) {
      expect(call.entryIds).toEqual(expectedView(call.log, call));
      // Instructions, and one message for each entry.
      expect(call.messages).toHaveLength(call.entryIds.length + 1);
    }
  });

  it("tells for each call how large the thread was, and how much of it was shown", async () => {
    const { team, calls } = await gardenTeam(UNCUT);
    for (const question of QUESTIONS) await team.ask(question);

    for (const { log, entryIds, threadTokens, shownTokens } of calls) {
      const shown = log.filter(({ id }) => entryIds.includes(id));
      // Each batch is rounded up for itself, and an answer loses what was added to it.
      expect(threadTokens - countTokens(log)).toBeGreaterThanOrEqual(0);
      expect(threadTokens - countTokens(log)).toBeLessThan(log.length);
      expect(shownTokens).toBeLessThanOrEqual(countTokens(shown));
      expect(shownTokens).toBeGreaterThan(0);
    }
  });

  it("lets workers work side by side, each with its own trace", async () => {
    const { team, entries } = await gardenTeam();
    await team.ask("How long does a valve stay open when rain is forecast?");
    const writers = entries
      .filter(({ phaseId, agent }) => phaseId === "find" && agent?.role === "worker")
      .map(({ agent }) => agent?.id);
    const runs = writers.filter((id, index) => id !== writers[index - 1]);

    expect(new Set(writers).size).toBe(3);
    expect(runs.length).toBeGreaterThan(3);
  });

  it("keeps a log in which every call is answered and every number means one source", async () => {
    const { team, entries } = await gardenTeam();
    for (const question of QUESTIONS) await team.ask(question);

    expect(checkHistory(entries).filter(({ rule }) => rule !== "scattered-exchange")).toEqual([]);
    const tasks = entries.filter(({ type, agent }) => type === "task" && agent?.role === "worker");
    const finals = entries.filter(({ type }) => type === "final");
    expect(finals).toHaveLength(tasks.length);
    expect(new Set(finals.map(({ taskId }) => taskId))).toEqual(new Set(tasks.map(({ id }) => id)));
  });

  it("shows a model no prompt that breaks the law of pairing, also where call ids are used again", async () => {
    const { team, calls } = await gardenTeam();
    for (const question of QUESTIONS) await team.ask(question);

    for (const { log, entryIds } of calls) {
      const shown = entryIds.flatMap((id) => log.find((entry) => entry.id === id) ?? []);
      expect(checkHistory(shown)).toEqual([]);
    }
  });

  it("runs the same by the same ids and clock, byte for byte", async () => {
    const runs = await Promise.all(
      [0, 1].map(async () => {
        const { team, entries, calls } = await gardenTeam({ workersAtOnce: 1 });
        for (const question of QUESTIONS) await team.ask(question);
        return JSON.stringify([entries, calls]);
      }),
    );

    expect(runs[0]).toBe(runs[1]);
  });

  it("goes on with a thread that it finds, numbers and all", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const shared = {
      model: offlineModel(),
      folder: await openFolder(garden.path),
      store: memoryStore(),
      threadId: "t",
      sources: countingSources(),
    };
    await (await createAgentTeam(shared)).ask(QUESTIONS[0] ?? "");
    await (await createAgentTeam(shared)).ask(QUESTIONS[1] ?? "");
    const { text } = await (await createAgentTeam(shared)).ask(QUESTIONS[2] ?? "");
    const { entries } = await shared.store.read("t");

    expect(text).toContain("src/valve_controller.py");
    expect(checkHistory(entries).filter(({ law }) => law === "L6")).toEqual([]);
    expect(entries.filter(({ type }) => type === "user_message")).toHaveLength(3);
  });

  it("refuses a blank question, and a number of steps that is none", async () => {
    const { team, entries } = await gardenTeam();

    await expect(team.ask(" \n")).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(entries).toEqual([]);
    for (const wrong of [{ maxWorkerSteps: Number.NaN }, { workersAtOnce: 0 }]) {
      await expect(gardenTeam(wrong)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
  });
});
