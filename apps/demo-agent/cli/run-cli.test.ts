import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import { checkCitations } from "../test-support/check-citations.ts";
import { runCliHere, runCliToJson } from "../test-support/run-cli-here.ts";

describe("runCli", () => {
  it("makes a session out of another folder's own words", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { answers, questions } = await runCliToJson("--dir", garden.path);

    expect(questions).toEqual([
      "What is said about Compost?",
      "What is said about Contents?",
      "What else does that file you found first say?",
    ]);
    for (const answer of answers) expect(await checkCitations(answer, garden.path)).not.toEqual([]);
  });

  it("prints plain lines in a pipe: banner, what happens, the answer, and a row for each call", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { exitCode, output } = await runCliHere("When is a tomato ripe?", "--dir", garden.path);

    expect(exitCode).toBe(0);
    expect(output).not.toContain("\u001B");
    expect(output).toMatch(
      /^Offline model: .*\n6 files · windows 8,000\/4,000\/3,000 · thread .*\n\nuser/,
    );
    expect(output).toContain(`${garden.path}: 6 text files, 1 KiB`);
    expect(output).toContain("\nmanager-1          → document-reader-1: Search for passages");
    expect(output).toContain("> A tomato is ripe when it comes off the stem with a light twist.");
    expect(output).toMatch(/\n +1 +worker +\d+ +[\d,]+ +[\d,]+ +\d+% +\d+% +filter/);
    expect(output).toMatch(/\n +all \d+ calls +[\d,]+ +[\d,]+ +\d+% +\d+% +filter \d+/);
  });

  it("shows every call where that is asked", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { output } = await runCliHere("When is a tomato ripe?", "--dir", garden.path, "--calls");

    expect(output).toMatch(/\n +1 +document-reader-1 +react +[\d,]+ +[\d,]+ +\d+% +\d+% +filter/);
  });

  it("says so, and ends with 1, where windows are too small for workers to go on", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const args = ["When is a tomato ripe?", "--dir", garden.path, "--window", "2000,1500,500"];
    const { exitCode, output, errors } = await runCliHere(...args);

    expect(exitCode).toBe(1);
    expect(errors).toBe("Incomplete: 3 workers could not continue. The answers say why.\n");
    expect(output).toContain("\nThe work could not continue.\n");
    expect(output).toMatch(/\nIncomplete: 3 workers could not continue\.\n- .*window/);
    expect(output).not.toContain("Nothing found in these documents");
  });

  it("refuses a question whose words no document has, and names them", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { exitCode, answers } = await runCliToJson("Does Docker need TLS?", "--dir", garden.path);

    expect(exitCode).toBe(0);
    expect(answers[0]).toMatch(
      /^Nothing in these documents speaks of “Docker” or “TLS”, so nothing in them answers that\./,
    );
    expect(answers[0]).not.toContain("[source");
  });

  it("colors a terminal, unless NO_COLOR says not to", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const args = ["When is a tomato ripe?", "--dir", garden.path];

    const yellow = "\u001B[33m";
    const env = { NO_COLOR: "1" };

    expect((await runCliHere(...args, { isTTY: true })).output).toContain(yellow);
    expect((await runCliHere(...args, { isTTY: true, env })).output).not.toContain(yellow);
  });

  it("lets no document steer the terminal", async () => {
    await using folder = await temporaryFolder({
      "a.md": "A tomato is ripe\u001B]0;owned\u0007 \u001B[2Jwhen red.\r\n",
    });
    const { output } = await runCliHere("When is a tomato ripe?", "--dir", folder.path);

    expect(output).toContain("A tomato is ripe");
    expect(output).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("names what it did not read, with the reason", async () => {
    await using folder = await temporaryFolder({
      "a.md": "text",
      "b.png": new Uint8Array([0]),
      "node_modules/x.js": "",
    });
    const { output } = await runCliHere("What is in the text?", "--dir", folder.path);

    expect(output).toContain("not read: 1 not text (b.png)");
    expect(output).toContain("not read: 1 ignored (node_modules)");
  });

  it.each([
    ["chat", "decomposer", "Nothing that was said so far"],
    ["router", "decomposer", "comes off the stem"],
    ["strategic", "script", "comes off the stem"],
  ])("takes the planners %s and %s by flags", async (orchestrator, manager, words) => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const flags = ["--orchestrator", orchestrator, "--manager", manager, "--worker", "react"];
    const { answers } = await runCliToJson(
      "Notes: when is a tomato ripe?",
      "--dir",
      garden.path,
      ...flags,
    );

    expect(answers[0]).toContain(words);
  });

  it.each([
    [["--orchestrator", "nobody"], "Allowed choices are strategic, chat, router"],
    [["--dri", "x"], "unknown option '--dri'"],
    [["--dir"], "argument missing"],
    [["one", "two"], "too many arguments"],
  ])("takes %j for misuse", async (args, words) => {
    const { exitCode, errors, output } = await runCliHere(...args);

    expect(exitCode).toBe(2);
    expect(errors).toContain(words);
    expect(output).toBe("");
  });

  it("says in one line what it cannot do", async () => {
    await using empty = await temporaryFolder({});
    const missing = await runCliHere("Why?", "--dir", `${empty.path}/none`);
    const nothing = await runCliHere("Why?", "--dir", empty.path);
    const blank = await runCliHere("", "--dir", empty.path);

    expect([missing.exitCode, nothing.exitCode, blank.exitCode]).toEqual([1, 1, 1]);
    expect(missing.errors).toMatch(/^Expected a folder at .*\/none, found nothing.*\n$/);
    expect(nothing.errors).toMatch(/^Expected text files in .*, found none.*\n$/);
  });

  it("helps", async () => {
    const { exitCode, output } = await runCliHere("--help");

    expect(exitCode).toBe(0);
    expect(output).toContain("Usage: demo [options] [question]");
  });

  it("stops when it is told to, and still shows the calls made", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const stop = new AbortController();
    const { exitCode, errors, output } = await runCliHere(
      "When is a tomato ripe?",
      "--dir",
      garden.path,
      {
        signal: stop.signal,
        onOutput: (text) => text.includes("document-reader-1: Search") && stop.abort(),
      },
    );

    expect(exitCode).toBe(130);
    expect(errors).toBe("Stopped.\n");
    expect(output).toMatch(/all \d+ calls/);
    expect(output).not.toContain("comes off the stem");
  });
});
