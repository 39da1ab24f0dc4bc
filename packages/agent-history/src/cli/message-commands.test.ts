import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { writeSessions } from "../../test-support/write-sessions.ts";
import { createHistory, memoryStore } from "../index.ts";
import { FILE_FORMATS } from "./messages/file-formats.ts";
import { runCommand } from "./run-command.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "agent-history-verbs-"));
});
afterAll(() => rm(home, { recursive: true }));

async function run(args: readonly string[], input: unknown = "", columns = 100) {
  let out = "";
  let told = "";
  const code = await runCommand(args, {
    write: (text) => void (out += text),
    tell: (text) => void (told += text),
    readInput: async () => (typeof input === "string" ? input : JSON.stringify(input)),
    columns,
    isLive: false,
    hasColor: false,
    version: "1.2.3",
    home,
    env: {},
  });
  return { code, out, told };
}

async function fileWith(name: string, value: unknown): Promise<string> {
  const path = join(home, name);
  await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const TOOL_CHAT = [
  { role: "system", content: "You book flights." },
  { role: "user", content: "Which flights go to Rome?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c1", type: "function", function: { name: "find", arguments: '{"to":"Rome"}' } },
    ],
  },
  { role: "tool", tool_call_id: "c1", content: "AZ 611 at nine." },
  { role: "assistant", content: "One, at nine." },
  { role: "user", content: "Book it." },
];

/** Questions and answers, about 60 tokens each. */
function longChat(turns: number) {
  return Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Question ${turn}: ${"where is the parcel now? ".repeat(6)}` },
    { role: "assistant", content: `Answer ${turn}: ${"it left the depot in Lyon. ".repeat(6)}` },
  ]).flat();
}

const SMALL = ["--window", "500"];

describe("fit", () => {
  it("trims a list from standard input to the window, and says what it did", async () => {
    const chat = [...longChat(20), { role: "user", content: "And today?" }];
    const { out, told, code } = await run(["fit", ...SMALL], chat);
    const kept = JSON.parse(out);
    expect(code).toBe(0);
    expect(kept.at(-1)).toEqual({ role: "user", content: "And today?" });
    expect(kept.length).toBeLessThan(chat.length);
    expect(told).toMatch(
      /^Entries: \d+ dropped, .*\d+ kept\. The prompt uses \d+ of 500 tokens\.\n$/,
    );
  });

  it("gives a request back whole, with the tools counted and the model taken from it", async () => {
    const tools = [{ name: "find", input_schema: { type: "object", properties: {} } }];
    const request = {
      model: "claude-opus-5-5",
      max_tokens: 1000,
      system: "You book flights.",
      tools,
      messages: [{ role: "user", content: "To Rome, please." }],
    };
    const file = await fileWith("request.json", request);
    const { out } = await run(["fit", file]);
    expect(JSON.parse(out)).toEqual(request);
    const tokens = async (body: object): Promise<number> =>
      JSON.parse((await run(["fit", "--json"], body)).out).plan.requestTokens;
    const { tools: _, ...without } = request;
    expect(await tokens(request)).toBeGreaterThan(await tokens(without));
  });

  it("repairs what the API would refuse, and says so", async () => {
    const broken = TOOL_CHAT.filter(({ role }) => role !== "tool");
    const { out, told } = await run(["fit", "--model", "gpt-5"], broken);
    expect((await run(["check", "--for", "openai-chat"], out)).code).toBe(0);
    expect(told).toMatch(/^Repaired: pairing\.\nEntries: /);
  });

  it("writes lines where lines came", async () => {
    const lines = TOOL_CHAT.map((message) => `${JSON.stringify(message)}\n`);
    const { out } = await run(["fit", "--model", "gpt-5"], lines.join(""));
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(TOOL_CHAT);
  });

  it("continues the plan in a file", async () => {
    const plan = join(home, "plan.json");
    const chat = [...longChat(3), { role: "user", content: "And today?" }];
    const args = ["fit", "--model", "gpt-5", "--plan", plan, "--json"];
    await run(args, chat);
    const before = JSON.parse(await readFile(plan, "utf8"));
    expect(before.continued).toBeUndefined();
    const more = [...chat, { role: "assistant", content: "In Rome." }];
    const { plan: next } = JSON.parse((await run(args, more)).out);
    expect(next.continued).toMatchObject({ entryCount: chat.length });
    expect(JSON.parse(await readFile(plan, "utf8"))).toEqual(next);
  });

  it("quotes what helps to answer with --recall", async () => {
    const secret = { role: "user", content: "My locker has the code 4711-K." };
    const chat = [secret, ...longChat(20), { role: "user", content: "What code has my locker?" }];
    const without = await run(["fit", ...SMALL], chat);
    const recalled = await run(["fit", ...SMALL, "--recall"], chat);
    expect(without.out).not.toContain("4711-K");
    expect(recalled.out).toContain("4711-K");
  });

  it("asks for a model, a known format and whole numbers", async () => {
    const chat = [{ role: "user", content: "Hello." }];
    const code = { code: "INVALID_OPTION" };
    await expect(run(["fit"], chat)).rejects.toMatchObject(code);
    await expect(run(["fit", "--model", "llama-local"], chat)).rejects.toMatchObject(code);
    expect(await run(["fit", ...SMALL, "--from", "yaml"], chat)).toMatchObject({ code: 2 });
    expect(await run(["fit", "--window", "2k"], chat)).toMatchObject({ code: 2 });
    const tools = await fileWith("tools.json", [{ name: 7 }]);
    await expect(run(["fit", ...SMALL, "--tools", tools], chat)).rejects.toMatchObject(code);
    await expect(run(["fit", "--window", "3"], chat)).rejects.toMatchObject({
      code: "WINDOW_TOO_SMALL",
    });
  });
});

describe("repair of sessions", () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown): string =>
    JSON.stringify({ type, uuid, parentUuid, sessionId: "s1", message: { role: type, content } });
  const asked = line("a", null, "user", "Which flights go to Rome?");
  const called = line("b", "a", "assistant", [
    { type: "tool_use", id: "t1", name: "find", input: { to: "Rome" } },
  ]);
  const broken = `${asked}\n${called}\n{"type":"user","uu`;

  it("prints a session as its tool resumes it, and says what it changed", async () => {
    const { out, told } = await run(["repair"], broken);
    const lines = out.trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual([asked, called]);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({
      type: "user",
      parentUuid: "b",
      message: { content: [{ type: "tool_result", tool_use_id: "t1" }] },
    });
    expect(told).toMatch(/^line 2: added a line.*\nline 3: removed what is not valid JSON\n$/);
    expect((await run(["repair"], out)).told).toBe("No faults.\n");
  });

  it("writes it to its file on request, found by its id, and keeps the original", async () => {
    const folder = join(home, ".claude", "projects", "-work");
    await mkdir(folder, { recursive: true });
    const path = join(folder, "5e551011.jsonl");
    await writeFile(path, broken);
    const { out, told } = await run(["repair", "5e55", "--write"]);
    expect(out).toBe("");
    expect(told).toContain(`Wrote ${path}. The original is in ${path}.before-repair.`);
    expect(await readFile(`${path}.before-repair`, "utf8")).toBe(broken);
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(4);
    expect((await run(["repair", path, "--write"])).told).toBe("No faults.\n");

    await writeFile(path, broken);
    await expect(run(["repair", path, "--write"])).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
    expect(await readFile(path, "utf8")).toBe(broken);
    await rm(join(home, ".claude"), { recursive: true });
  });

  it("writes messages to no file", async () => {
    await expect(run(["repair", "--write"], TOOL_CHAT)).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  });
});

describe("check and repair", () => {
  const broken = TOOL_CHAT.filter(({ role }) => role !== "tool");

  it("finds what is broken, with exit code 1, and nothing in what is whole", async () => {
    expect(await run(["check"], TOOL_CHAT)).toMatchObject({
      code: 0,
      out: "No faults in 6 entries.\n",
    });
    const entries = (await run(["convert", "--to", "entries"], TOOL_CHAT)).out;
    expect((await run(["check"], entries)).out).toBe("No faults in 6 entries.\n");
    const results = ["c1", "c2"].map((id) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "Two.",
    }));
    const calls = ["c1", "c2"].map((id) => ({ type: "tool_use", id, name: "find", input: {} }));
    const parallel = [
      { role: "user", content: "Which flights?" },
      { role: "assistant", content: calls },
      { role: "user", content: results },
    ];
    expect((await run(["check", "--for", "anthropic"], parallel)).out).toBe(
      "No faults for anthropic in 4 entries.\n",
    );
    const found = await run(["check"], broken);
    expect(found.code).toBe(1);
    expect(found.out).toContain("unanswered-call");
    const { violations } = JSON.parse((await run(["check", "--json"], broken)).out);
    expect(violations).toMatchObject([{ law: "L1", rule: "unanswered-call" }]);
  });

  it.each([80, 100, 120])("draws what is broken within %i columns", async (width) => {
    const { out } = await run(
      ["check"],
      [...broken, { ...TOOL_CHAT[3], tool_call_id: "c9" }],
      width,
    );
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    await expect(out).toMatchFileSnapshot(`../../test-support/captures/check-${width}.txt`);
  });

  it.each([
    ["anthropic", "thinking", [{ type: "thinking", thinking: "Hm." }]],
    ["openai-chat", "unknown-field", "Two."],
    ["openai-responses", "reasoning", undefined],
  ])(
    "says what %s would refuse, by rule, place and remedy, with exit code 1",
    async (api, rule, content) => {
      const asked = { role: "user", content: "Which flights?" };
      const refused =
        content === undefined
          ? { type: "reasoning", id: "rs_1", summary: [] }
          : { role: "assistant", content, ...(api === "openai-chat" && { tool_calls: [] }) };
      const file = [asked, refused, asked];
      const from = api === "anthropic" ? ["--from", "anthropic"] : [];
      const { out, code } = await run(["check", "--for", api, ...from], file);
      expect(code).toBe(1);
      expect(out).toContain(rule);
      const { faults } = JSON.parse(
        (await run(["check", "--for", api, "--json", ...from], file)).out,
      );
      expect(faults[0]).toMatchObject({ index: 1, source: expect.stringContaining("https://") });
      expect(await run(["check", "--for", api, ...from], [asked])).toMatchObject({
        code: 0,
        out: `No faults for ${api} in 1 entry.\n`,
      });
    },
  );

  it("knows what a host of OpenAI's format refuses beyond it", async () => {
    const chat = [
      { role: "user", content: "Hi." },
      { role: "assistant", content: "Hi.", reasoning_content: "Hm." },
      { role: "user", content: "Rome?" },
    ];
    const code = async (host: string): Promise<number | undefined> =>
      (await run(["check", "--for", "openai-chat", "--host", host], chat)).code;
    expect(await code("groq")).toBe(1);
    expect(await code("deepseek")).toBe(0);
    expect(await run(["check", "--for", "bard"], chat)).toMatchObject({ code: 2 });
    expect(await code("nobody")).toBe(2);
  });

  it("repairs in the format that came, and says what it did", async () => {
    const { out, told } = await run(["repair"], broken);
    expect(told).toContain(": added a placeholder for the missing result of a call\n");
    expect((await run(["check"], out)).code).toBe(0);
    expect(JSON.parse(out)).toHaveLength(TOOL_CHAT.length);
    expect(await run(["repair"], TOOL_CHAT)).toMatchObject({ told: "No faults.\n" });
    const { repairs } = JSON.parse((await run(["repair", "--json"], broken)).out);
    expect(repairs).toMatchObject([{ kind: "added-result" }]);
  });

  it("repairs with --for what the API would refuse, and says where and how", async () => {
    const call = { id: "c1", type: "function", function: { name: "find", arguments: "{}" } };
    const refused = [
      { role: "user", content: "To Rome \uD83D" },
      { role: "assistant", content: null, tool_calls: [call, call] },
      { role: "tool", tool_call_id: "c9", content: "Two flights." },
    ];
    expect((await run(["check", "--for", "openai-chat"], refused)).code).toBe(1);
    const { out, told } = await run(["repair", "--for", "openai-chat"], refused);
    expect(told).toMatch(/^well-formed-text in message 0: /);
    expect(told).toContain("duplicate-call-id in message 1: ");
    expect(out).toContain("Two flights.");
    expect((await run(["check", "--for", "openai-chat"], out)).code).toBe(0);
    expect((await run(["repair", "--for", "openai-chat"], out)).told).toBe("No faults.\n");
  });

  it.each(["anthropic", "google", "google-interactions", "openai-responses"])(
    "writes with --for %s what that API takes of another's messages",
    async (api) => {
      const { out } = await run(["repair", "--for", api], TOOL_CHAT);
      expect((await run(["check", "--for", api], out)).code).toBe(0);
    },
  );

  it("refuses an API and a host that it does not know", async () => {
    const { code, told } = await run(["repair", "--for", "openai"], TOOL_CHAT);
    expect(code).toBe(2);
    expect(told).toContain("Allowed choices are anthropic,");
    const unknown = ["repair", "--for", "openai-chat", "--host", "nobody"];
    expect(await run(unknown, TOOL_CHAT)).toMatchObject({ code: 2 });
  });
});

describe("compress", () => {
  it("replaces old messages by a summary and keeps the newest", async () => {
    const chat = [...longChat(40), { role: "user", content: "And today?" }];
    const { out, told } = await run(["compress", "--tail", "300", "--max", "300"], chat);
    const kept = JSON.parse(out);
    expect(kept.length).toBeLessThan(12);
    expect(kept[0].content).toContain("depot in Lyon");
    expect(kept.at(-1)).toEqual({ role: "user", content: "And today?" });
    expect(told).toMatch(
      /^Replaced [\d.]+k tokens with \d+\. The summary contains \d+ of \d+ parts\.\n$/,
    );
  });

  it("leaves what is short as it came, and says why", async () => {
    const { out, told } = await run(["compress"], TOOL_CHAT);
    expect(JSON.parse(out)).toEqual(TOOL_CHAT);
    expect(told).toMatch(/^Nothing was compressed: /);
    expect(JSON.parse((await run(["compress", "--json"], TOOL_CHAT)).out)).toMatchObject({
      outcome: "not-needed",
      compactions: [],
    });
  });
});

describe("convert", () => {
  it.each(FILE_FORMATS)("writes %s, and what was written is read again", async (format) => {
    const { out } = await run(["convert", "--to", format], TOOL_CHAT);
    const back = await run(["convert", "--from", format, "--to", "openai-chat"], out);
    const written = JSON.parse(back.out);
    const texts = (Array.isArray(written) ? written : written.messages).map(
      ({ role, content, tool_calls }: ChatLike) => [
        role,
        textOf(content),
        tool_calls?.map((call) => call.function),
      ],
    );
    expect(texts).toEqual(
      TOOL_CHAT.map(({ role, content, tool_calls }) => [
        role,
        content ?? "",
        tool_calls?.map((call) => call.function),
      ]),
    );
  });

  it("writes a session of a tool as messages, and says what was damaged", async () => {
    await writeSessions(home);
    const session = join(home, ".claude/projects/-home-ada-shop/3f2a9c10-shop.jsonl");
    const { out, told } = await run(["convert", session, "--to", "openai-chat"]);
    expect(told).toBe("Skipped 1 damaged line.\n");
    expect((await run(["convert", "3f2a", "--to", "openai-chat"])).out).toBe(out);
    const chat = JSON.parse(out);
    expect(chat.some(({ role }: ChatLike) => role === "tool")).toBe(true);
    expect((await run(["check"], out)).code).toBe(0);
  });

  it("writes a thread that was exported as messages", async () => {
    const window = { contextTokens: 8000 };
    const options = { model: "gpt-5", window, store: memoryStore(), threadId: "t" };
    const history = createHistory(options);
    for (const [turn, { content }] of longChat(10).entries()) {
      const message = { content };
      if (turn % 2 === 0) await history.addUserMessage(message);
      else await history.addAssistantMessage(message);
    }
    await history.compress();
    let lines = "";
    for await (const line of options.store.exportThread("t")) lines += line;
    const { out, told } = await run(["convert", "--to", "openai-chat"], lines);
    const messages = out.trimEnd().split("\n");
    expect(messages.map((line) => JSON.parse(line))).toEqual(longChat(10));
    expect(told).toBe("");
  });

  it("detects plain messages by the request that holds them", async () => {
    const messages = [{ role: "user", content: "Hello." }];
    const formatOf = async (request: object): Promise<unknown> =>
      JSON.parse((await run(["convert", "--to", "entries", "--json"], request)).out).from;
    expect(await formatOf({ input: messages })).toBe("openai-responses");
    expect(await formatOf({ system: "Be brief.", messages })).toBe("anthropic");
    expect(await formatOf({ messages })).toBe("openai-chat");
  });

  it("explains sessions only, and skips other files of a folder", async () => {
    const chat = await fileWith("chat.jsonl", `${JSON.stringify(TOOL_CHAT[0])}\n`);
    await expect(run(["tokens", chat])).rejects.toThrow("Expected a session of Claude Code");
    await expect(run(["check", join(chat, "..")])).rejects.toThrow("EISDIR");
  });

  it("carries a message that no format knows", async () => {
    const { out, told } = await run(
      ["convert", "--to", "anthropic"],
      [{ role: "user", content: "Hello." }, { text: "no role" }],
    );
    expect(out).toContain("no role");
    expect(told).toBe("Repaired: unknown-message.\n");
  });

  it("asks where to, and says what is none of the formats", async () => {
    const code = { code: "INVALID_OPTION" };
    expect((await run(["convert"], TOOL_CHAT)).told).toContain("--to <format>");
    await expect(run(["convert", "--to", "openai-chat"], "")).rejects.toMatchObject(code);
    await expect(run(["convert", "--to", "openai-chat"], "Hello.")).rejects.toThrow("Line 1");
    await expect(run(["convert", "--to", "openai-chat"], { a: 1 })).rejects.toThrow("--from");
    await expect(run(["convert", "--to", "openai-chat"], [1])).rejects.toThrow("--from");
    const none = run(["convert", join(home, "none.json"), "--to", "openai-chat"]);
    await expect(none).rejects.toThrow("no session whose id begins with it");
  });
});

interface ChatLike {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly function: object }[];
}

function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("");
}
