import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { sqliteStore } from "@agent-history/store-sqlite";
import { describe, expect, it } from "vitest";

import { openWork } from "../test-support/open-work.ts";
import { runProgram } from "../test-support/run-program.ts";
import { runCli } from "./run-cli.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const RIPE = "When is a tomato ripe?";
const RAIN = "How long does a valve stay open when rain is forecast?";

describe("--thread and --resume", () => {
  it("stop cleanly at Ctrl-C, say how to go on, and go on there", async () => {
    await using setup = await somewhere();
    const stored = ["--store", `sqlite:${setup.path}`];
    const { exitCode, errors } = await setup.run(RIPE, ...stored, "--thread", "t", {
      stopAt: "synthesis",
    });
    const { lines } = await runProgram([RIPE, ...setup.flags, "--thread", "t", "--resume"]);

    expect(exitCode).toBe(130);
    expect(errors).toBe(stoppedAt(setup));
    expect(lines.join("\n")).toContain(`resumes: ${RIPE}`);
    expect(lines.join("\n")).toContain("comes off the stem");
    const store = sqliteStore({ path: setup.path });
    expect(await openWork(store, "t")).toEqual([]);
    await store.close();
    expect(await questionsOf(setup.path, "t")).toEqual([RIPE]);
  });

  it("stop at Ctrl-C while they wait for a question", async () => {
    await using setup = await somewhere();
    const child = spawn(process.execPath, [MAIN, "--chat", ...setup.flags, "--thread", "t"]);
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += String(chunk)));
    child.stdout.once("data", () => child.kill("SIGINT"));
    const [exitCode] = await once(child, "close");

    expect([exitCode, errors]).toEqual([130, stoppedAt(setup, " --chat")]);
  });

  it("go on with the newest thread where none is named, and ask what is new", async () => {
    await using setup = await somewhere();
    const first = await setup.run(RAIN, "--store", `sqlite:${setup.path}`);
    const second = await setup.run("And when the soil is dry?", "--resume");
    const threadId = / thread (\S+) \(SQLite\)/.exec(first.output)?.[1] ?? "";

    expect(second.output).toContain(` thread ${threadId} (SQLite)`);
    expect(await questionsOf(setup.path, threadId)).toEqual([RAIN, "And when the soil is dry?"]);
  });

  it("answer of a session what is left of it", async () => {
    await using setup = await somewhere();
    await setup.run("What is said about Compost?", "--thread", "t");
    const { output } = await setup.run("--thread", "t", "--resume");
    const again = await setup.run("--thread", "t", "--resume");

    expect(await questionsOf(setup.path, "t")).toEqual([
      "What is said about Compost?",
      "What is said about Contents?",
      "What else does that file you found first say?",
    ]);
    expect(output).toMatch(/expanded: \d+ summaries undone, \d+ entries shown again, word for/);
    expect(again.exitCode).toBe(0);
    expect(again.output).not.toContain("all ");
  });

  it("read questions from the input until an empty line", async () => {
    await using setup = await somewhere();
    const lines = [RIPE, RAIN, "  ", "Never asked?"];
    const { output, exitCode } = await setup.run("--chat", "--thread", "t", { lines });

    expect(exitCode).toBe(0);
    expect(output).toContain("the valve stays shut");
    expect(await questionsOf(setup.path, "t")).toEqual([RIPE, RAIN]);
  });

  it("say in one line what they cannot do", async () => {
    await using setup = await somewhere();
    const none = await setup.run("--resume");
    const unknown = await setup.run("--thread", "nobody", "--resume");
    const wrong = await setup.run("Why?", "--store", "postgres://x");
    const away = await setup.run("Why?", "--store", "redis://:geheim@127.0.0.1:1");

    expect([none, unknown, wrong, away].map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 1]);
    expect(none.errors).toMatch(/^Expected a thread to resume, found none\..*\n$/);
    expect(unknown.errors).toBe(none.errors);
    expect(wrong.errors).toMatch(/^Expected --store to be memory, sqlite:PATH or redis:.*\n$/);
    expect(away.errors).toMatch(/^Expected a Redis server at 127\.0\.0\.1:1,.*ECONNREFUSED.*\n$/);
    expect(away.errors).not.toContain("geheim");
  });

  it.each([
    ["--window", "0"],
    ["--window", "8000,4000"],
    ["--window", "many"],
    ["--at-once", "0"],
  ])("take %s %s for misuse", async (flag, value) => {
    await using setup = await somewhere();
    const { exitCode, errors } = await setup.run(flag, value);

    expect(exitCode).toBe(2);
    expect(errors).toContain("Expected a");
  });

  it("show that a window is too small for what must be kept", async () => {
    await using setup = await somewhere();
    const { exitCode, errors } = await setup.run(RIPE, "--window", "100");

    expect(exitCode).toBe(1);
    expect(errors).toMatch(/^.*tokens.*\n$/);
  });
});

interface RunInput {
  /** Read from the input. */
  readonly lines?: readonly string[];
  /** Stops the run, as Ctrl-C does, as soon as this is written. */
  readonly stopAt?: string;
}

interface Setup extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
  readonly flags: readonly string[];
  readonly run: (
    ...args: readonly (string | RunInput)[]
  ) => Promise<{ readonly exitCode: number; readonly output: string; readonly errors: string }>;
}

/** The garden, and a file for threads where the flags and the cache folder have it. */
async function somewhere(): Promise<Setup> {
  const garden = await temporaryFolder(GARDEN_FILES);
  const cache = await temporaryFolder({});
  const path = join(cache.path, "demo.db");
  return {
    folder: garden.path,
    path,
    flags: ["--dir", garden.path, "--store", `sqlite:${path}`],
    run: async (...given) => {
      const args = given.filter((each) => typeof each === "string");
      const { lines = [], stopAt } = given.find((each) => typeof each !== "string") ?? {};
      const stop = new AbortController();
      let output = "";
      let errors = "";
      const exitCode = await runCli([...args, "--dir", garden.path], {
        stdout: {
          write: (text) => {
            output += text;
            if (stopAt !== undefined && text.includes(stopAt)) stop.abort();
          },
        },
        stderr: { write: (text) => (errors += text) },
        env: {},
        defaultFolder: garden.path,
        cacheFolder: cache.path,
        lines: async function* () {
          yield* lines;
        },
        signal: stop.signal,
      });
      return { exitCode, output, errors };
    },
    [Symbol.asyncDispose]: async () => {
      await garden[Symbol.asyncDispose]();
      await cache[Symbol.asyncDispose]();
    },
  };
}

function stoppedAt({ folder, path }: Setup, rest = ""): string {
  return `Stopped. Resume with: npx -y pnpm@12 demo --thread t --resume --dir ${folder} --store sqlite:${path}${rest}\n`;
}

async function questionsOf(path: string, threadId: string): Promise<readonly unknown[]> {
  const store = sqliteStore({ path });
  const { entries } = await store.read(threadId, { originals: true });
  await store.close();
  return entries.flatMap((entry) => (entry.type === "user_message" ? [entry.content] : []));
}
