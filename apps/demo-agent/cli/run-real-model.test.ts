import type { ChatModel } from "@agent-history/offline-model";
import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import type { Environment } from "../providers/model-settings.ts";
import { checkCitations } from "../test-support/check-citations.ts";
import { anthropicMessages } from "../test-support/model-server/anthropic-messages.ts";
import { chatCompletions } from "../test-support/model-server/chat-completions.ts";
import type { Fault } from "../test-support/model-server/misbehave.ts";
import { responses } from "../test-support/model-server/responses.ts";
import { serverBrain } from "../test-support/model-server/server-brain.ts";
import { SERVER_KEY, startModelServer } from "../test-support/model-server/start-model-server.ts";
import type { ModelServer } from "../test-support/model-server/start-model-server.ts";
import type { Wire } from "../test-support/model-server/wire.ts";
import { runCli } from "./run-cli.ts";

const QUESTION = "When is a tomato ripe?";
const WIRES: readonly (readonly [string, Wire])[] = [
  ["openai", responses],
  ["anthropic", anthropicMessages],
  ["compatible", chatCompletions],
];

describe("runCli with a real model", () => {
  it.each(WIRES)("answers by %s, over a network, as the model itself would", async (name, wire) => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    await using server = await startModelServer({ wire, model: serverBrain() });
    const real = await run(garden.path, environment(name, server), ["--at-once", "1"]);
    const offline = await run(garden.path, {}, ["--at-once", "1"]);

    const asked = server.calls.filter(({ body }) => body.includes("Reply form: "));

    expect(real.exitCode).toBe(0);
    expect(real.answer).toContain("comes off the stem");
    expect(real.answer).toBe(offline.answer);
    expect(real.entryTypes).toEqual(offline.entryTypes);
    expect(asked.length).toBe(real.calls);
    expect(server.calls.length).toBeGreaterThan(asked.length);
  });

  it("runs workers side by side, streams their words, and shows who wrote them", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    await using server = await startModelServer({ wire: responses, model: serverBrain() });
    const { answer, events } = await run(garden.path, environment("openai", server));
    const writers = new Set(
      events.flatMap(({ event, agent }) => (event === "text" ? [agent?.id] : [])),
    );

    expect(await checkCitations(answer, garden.path)).toContainEqual({ path: "notes/tomatoes.md" });
    expect(writers).toContain("orchestrator");
    expect([...writers].filter((id) => id?.includes("reader")).length).toBeGreaterThan(1);
  });

  it.each<[string, Fault]>([
    ["fails once", { kind: "status", status: 500 }],
    ["asks for patience", { kind: "status", status: 429, headers: { "retry-after": "9" } }],
    ["is silent", { kind: "silent" }],
    ["stalls", { kind: "stall", after: 3 }],
    ["breaks off", { kind: "close", after: 3 }],
    ["ends too soon", { kind: "end", after: 3 }],
    ["sends half a frame", { kind: "half-frame", after: 3 }],
  ])("answers all the same where a server %s at every third call", async (_, fault) => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    await using server = await startModelServer({
      wire: chatCompletions,
      model: serverBrain(),
      fault: (call) => (call % 3 === 0 ? fault : undefined),
    });
    const env = { ...environment("compatible", server), AGENT_HISTORY_TIMEOUT_SECONDS: "0.3" };
    const { exitCode, answer, events } = await run(garden.path, env);

    expect(exitCode).toBe(0);
    expect(answer).toContain("comes off the stem");
    expect(events.filter(({ event }) => event === "retry").length).toBeGreaterThan(2);
  });

  it.each<[string, Fault, RegExp]>([
    ["the key", { kind: "status", status: 401 }, /does not take the key of OPENAI_API_KEY/],
    ["the model", { kind: "status", status: 404 }, /knows no model m-1 .* Set AGENT_HISTORY_MODEL/],
    ["the rate", { kind: "status", status: 429 }, /fewer calls \(429\), also at try 4\. Wait/],
    [
      "to be well",
      { kind: "status", status: 500 },
      /failed \(500\), also at try 4\. Ask again later/,
    ],
    ["to answer", { kind: "silent" }, /was silent for 0\.1 s, also at try 4/],
    ["to finish", { kind: "stall", after: 3 }, /was silent for 0\.1 s, also at try 4/],
    ["the end", { kind: "close", after: 3 }, /broke off.*, also at try 4/],
    ["to be a model", { kind: "page" }, /no answer of a model .* OPENAI_BASE_URL/],
  ])("ends with 1 and one line where a server refuses %s", async (_, fault, words) => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const wire = chatCompletions;
    const model = serverBrain();
    await using server = await startModelServer({ wire, model, fault: () => fault });
    const env = { ...environment("compatible", server), AGENT_HISTORY_TIMEOUT_SECONDS: "0.1" };
    const { exitCode, errors, output } = await run(garden.path, env);

    expect(exitCode).toBe(1);
    expect(errors).toMatch(/^[^\n]+\n$/);
    expect(errors).toMatch(words);
    expect(errors + output).not.toContain(SERVER_KEY);
  });

  it("says where nobody answers", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const server = await startModelServer({ wire: chatCompletions, model: serverBrain() });
    await server[Symbol.asyncDispose]();
    const { exitCode, errors } = await run(garden.path, environment("compatible", server));

    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /^Nothing answers at 127\.0\.0\.1:\d+ \(connection refused\)\. Start .*\n$/,
    );
  });

  it("says before anything else which variable is missing", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { exitCode, errors, output } = await run(garden.path, {
      AGENT_HISTORY_MODEL: "anthropic:m-1",
    });

    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /^Expected ANTHROPIC_API_KEY to hold a key, found nothing\. Set it.*\n$/,
    );
    expect(output).toBe("");
  });

  it("goes on where a model answers what was not asked, and says so where there is no answer", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const answers: readonly ChatModel[] = [
      async () => ({ text: "I would rather talk about the weather." }),
      async () => ({ toolCalls: [{ id: "c1", name: "no_such_tool", arguments: "[1]" }] }),
    ];
    const runs: Run[] = [];
    for (const model of answers) {
      await using server = await startModelServer({ wire: chatCompletions, model });
      runs.push(await run(garden.path, environment("compatible", server)));
    }

    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 1]);
    expect(runs[0]?.answer).toContain("weather");
    expect(runs[1]?.errors).toMatch(/^Expected the model to reply with text, got none\..*\n$/);
  });

  it("stops at once in the middle of a reply", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    await using server = await startModelServer({
      wire: chatCompletions,
      model: serverBrain(),
      fault: (call) => (call === 3 ? { kind: "stall", after: 2 } : undefined),
    });
    const stop = new AbortController();
    const stopAtStall = async (): Promise<void> => {
      while (server.calls.length < 4) await server.called();
      stop.abort();
    };
    const stopping = stopAtStall();
    const env = environment("compatible", server);
    const { exitCode, errors } = await run(garden.path, env, [], stop.signal);
    await stopping;

    expect(exitCode).toBe(130);
    expect(errors).toMatch(/^Stopped\./);
  });
});

function environment(protocol: string, server: ModelServer): Environment {
  return {
    AGENT_HISTORY_MODEL: `${protocol}:m-1`,
    OPENAI_API_KEY: SERVER_KEY,
    ANTHROPIC_API_KEY: SERVER_KEY,
    OPENAI_BASE_URL: server.url,
    ANTHROPIC_BASE_URL: server.url,
  };
}

interface RunEvent {
  readonly event: string;
  readonly text?: string;
  readonly agent?: { readonly id: string };
  readonly entry?: { readonly type: string };
}

interface Run {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
  readonly events: readonly RunEvent[];
  readonly answer: string;
  readonly calls: number;
  readonly entryTypes: readonly string[];
}

async function run(
  dir: string,
  env: Environment,
  flags: readonly string[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<Run> {
  let output = "";
  let errors = "";
  const args = [QUESTION, "--dir", dir, "--store", "memory", "--json", ...flags];
  const exitCode = await runCli(args, {
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    env,
    defaultFolder: dir,
    cacheFolder: "/nowhere",
    lines: async function* () {},
    retries: { wait: async () => {} },
    signal,
  });
  const lines = output.split("\n").filter((line) => line !== "");
  const events = lines.map((line): RunEvent => JSON.parse(line));
  return {
    exitCode,
    output,
    errors,
    events,
    answer: events.find(({ event }) => event === "answer")?.text ?? "",
    calls: events.filter(({ event }) => event === "call").length,
    entryTypes: events.flatMap(({ entry }) => (entry === undefined ? [] : [entry.type])),
  };
}
