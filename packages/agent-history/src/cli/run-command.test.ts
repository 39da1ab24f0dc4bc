import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { writeSessions } from "../../test-support/write-sessions.ts";
import type { CliContext } from "./cli-context.ts";
import { runCommand } from "./run-command.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "agent-history-home-"));
  await writeSessions(home);
});
afterAll(() => rm(home, { recursive: true }));

function contextOf(write: CliContext["write"], tell: CliContext["tell"]): CliContext {
  return {
    write,
    tell,
    columns: 100,
    isLive: false,
    hasColor: false,
    version: "1.2.3",
    readInput: async () => "",
    home,
    env: {},
  };
}

async function run(args: readonly string[], columns = 100) {
  let out = "";
  let told = "";
  const opened: string[] = [];
  const context = contextOf(
    (text) => void (out += text),
    (text) => void (told += text),
  );
  const openBrowser = async (target: string): Promise<void> => void opened.push(target);
  const code = await runCommand(args, { ...context, columns, openBrowser });
  return { code, out, told, opened };
}

function serve(file: string, signal: AbortSignal) {
  let print: (text: string) => void = () => {};
  const url = new Promise<string>((resolve) => (print = resolve));
  const context = contextOf(
    (text) => print(text.trim()),
    () => {},
  );
  const code = runCommand(["open", file, "--serve"], { ...context, stopSignal: () => signal });
  return { url, code };
}

const COMMANDS = ["overview", "sessions", "tokens", "cache", "lost"];

describe("runCommand", () => {
  it("draws the screens that the guide shows", async () => {
    const guide = await readFile(
      new URL("../../../../docs/guide/sessions.md", import.meta.url),
      "utf8",
    );
    const shown = [...guide.matchAll(/```text\n([^`]*)```/g)].map(([, screen = ""]) =>
      screen.trim(),
    );
    const folder = new URL("../../test-support/captures/", import.meta.url);
    const drawn = (await readdir(folder)).map((name) => readFile(new URL(name, folder), "utf8"));
    const screens = new Set((await Promise.all(drawn)).map((screen) => screen.trim()));
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((screen) => !screens.has(screen))).toEqual([]);
  });

  it.each(COMMANDS.flatMap((command) => [80, 100, 120].map((width) => [command, width] as const)))(
    "draws %s within %i columns",
    async (command, width) => {
      const { out, code } = await run([command], width);
      expect(code).toBe(0);
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
      await expect(out).toMatchFileSnapshot(`../../test-support/captures/${command}-${width}.txt`);
    },
  );

  it.each(COMMANDS)("prints %s as JSON", async (command) => {
    const { out } = await run([command, "--json"]);
    expect(JSON.parse(out)).toBeTypeOf("object");
  });

  it("says the same in JSON as in a table", async () => {
    const cache = JSON.parse((await run(["cache", "--json"])).out);
    expect(cache).toMatchObject({ eligible: 10 });
    expect(cache.breaks.map(({ cause }: { cause: string }) => cause)).toEqual(["idle", "cleared"]);
    const { sessions } = JSON.parse((await run(["--json"])).out);
    expect(sessions).toMatchObject([
      { sessionId: "01a2b3c4-0000-4000-8000-000000000001", turns: 1, calls: 2, unpricedCalls: 2 },
      { sessionId: "3f2a9c10-shop", turns: 2, compactions: 1, problems: 1 },
    ]);
  });

  it("takes one session by the beginning of its id, or a file", async () => {
    const { sessions } = JSON.parse((await run(["tokens", "3f2a", "--json"])).out);
    expect(sessions).toBe(1);
    const file = join(home, ".claude/projects/-home-ada-shop/3f2a9c10-shop.jsonl");
    expect(JSON.parse((await run(["lost", file, "--json"])).out)).toMatchObject({ compactions: 1 });
    await expect(run(["tokens", "none"])).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each(COMMANDS.flatMap((command) => [[command], [command, "--json"]]))(
    "hides texts and names with --redact: %s %s",
    async (...args) => {
      const { out } = await run([...args.filter(Boolean), "--redact"]);
      expect(out).not.toMatch(/ada|shop|voucher|cart|Why is|3f2a|01a2|checkout/);
    },
  );

  it("takes prices from a file, and rejects what is none", async () => {
    const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cacheWrite1h: 1 };
    const file = join(home, "prices.json");
    await writeFile(file, JSON.stringify({ asOf: "2027-01-01", models: { "gpt-5.9": price } }));
    expect((await run(["sessions", "--prices", file])).out).toContain("2027-01-01");
    const { sessions } = JSON.parse((await run(["sessions", "--prices", file, "--json"])).out);
    expect(sessions[0].cost).toBeCloseTo(0.04934);
    await writeFile(file, '{"asOf":"2027","models":{"x":{}}}');
    const { code, told } = await run(["cache", "--prices", file]);
    expect({ code, told: told.includes("dollars per million tokens") }).toEqual({
      code: 2,
      told: true,
    });
    expect(await run(["cache", "--prices", join(home, "none")])).toMatchObject({ code: 2 });
  });

  it("says where it looked when there is nothing, and refuses a wrong option", async () => {
    await expect(run(["--dir", join(home, "none")])).rejects.toThrow("Found no sessions");
    expect((await run(["--limit", "many"])).told).toContain("Expected a non-negative integer.");
    const { code, told } = await run(["--no-such-option"]);
    expect({ code, told: told.includes("unknown option") }).toEqual({ code: 2, told: true });
    const help = await run(["--help"], 80);
    expect(help.code).toBe(0);
    // A screen of 24 lines.
    expect(help.out.trimEnd().split("\n").length).toBeLessThan(25);
  });

  it("names the folders that it searched, the command that was meant, and its version", async () => {
    await expect(run(["--dir", join(home, "none")])).rejects.toThrow(join(home, "none"));
    const empty = runCommand([], {
      ...contextOf(
        () => {},
        () => {},
      ),
      home: join(home, "none"),
    });
    await expect(empty).rejects.toThrow(join(home, "none", ".codex", "sessions"));
    const { code, told } = await run(["cach"]);
    expect(code).toBe(2);
    expect(told).toContain("Did you mean cache?");
    expect(await run(["--version"])).toMatchObject({ code: 0, out: "1.2.3\n" });
  });

  it("shows the newest sessions, all costs, and the most expensive wastes with their commands", async () => {
    const { out } = await run([]);
    expect(out).toContain("Why is the total of the cart");
    expect(out).toContain("2 sessions");
    expect(out).toMatch(/2 cache breaks in .* sent .* tokens again/);
    expect(out).toContain("agent-history cache 3f2a9c10");
  });

  it("says what to do about pauses", async () => {
    expect((await run(["cache"])).out).toContain(
      "Of 1 pause that broke the cache, 1 lasted less than an hour.",
    );
  });

  it("uses colors only where the terminal has them", async () => {
    let out = "";
    const context = contextOf(
      (text) => void (out += text),
      () => {},
    );
    await runCommand(["cache"], { ...context, hasColor: true });
    expect(out).toContain("\u001B[33m");
    expect((await run(["cache"])).out).not.toContain("\u001B[");
  });

  it.each([80, 100, 120])("draws replay within %i columns", async (width) => {
    const { out } = await run(["replay", "3f2a", "--window", "30000"], width);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    await expect(out).toMatchFileSnapshot(`../../test-support/captures/replay-${width}.txt`);
  });

  it("replays as JSON, and refuses a window that is none", async () => {
    const replay = ["replay", "--window", "30000"];
    const { sessions } = JSON.parse((await run([...replay, "--json"])).out);
    expect(sessions).toMatchObject([{ calls: 11, needed: 2, keptByReplay: 2 }, { calls: 2 }]);
    const largest = (await run([...replay, "--limit", "1"])).out;
    expect(largest).toContain("2 sessions, 13 calls");
    expect(largest).toContain("3f2a9c10");
    expect(largest).not.toContain("01a2b3c4");
    expect(await run(["replay", "--window", "none"])).toMatchObject({ code: 2 });
  });

  it("writes a session as a page, the newest where none is named, for its owner only", async () => {
    const html = join(home, "page.html");
    expect(await run(["open", "3f2a", "--html", html])).toMatchObject({
      code: 0,
      out: `${html}\n`,
      opened: [html],
    });
    expect((await run(["open", "3f2a", "--html", html, "--no-open"])).opened).toEqual([]);
    const page = await readFile(html, "utf8");
    const [, json = ""] = /id="data">([^<]*)</.exec(page) ?? [];
    expect(JSON.parse(json)).toMatchObject({ calls: { length: 11 } });
    expect((await stat(html)).mode & 0o077).toBe(0);
    const { out } = await run(["open"]);
    const path = out.trim();
    expect(path.startsWith(join(tmpdir(), "agent-history-"))).toBe(true);
    expect(await readFile(path, "utf8")).toContain("<!doctype html>");
    await rm(path);
    expect(await run(["open", "3f2a", "--html", html, "--what-if"])).toMatchObject({ code: 0 });
    expect((await stat(html)).size).toBeGreaterThan(page.length + 2_000_000);
    await expect(run(["open", "none"])).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("serves a session until it is stopped, and follows its file", async () => {
    const stopping = new AbortController();
    const file = join(home, "followed.jsonl");
    const source = join(home, ".claude/projects/-home-ada-shop/3f2a9c10-shop.jsonl");
    const lines = (await readFile(source, "utf8")).split("\n");
    await writeFile(file, lines.slice(0, 6).join("\n"));
    const served = serve(file, stopping.signal);
    const url = new URL(await served.url);
    const counted = async (): Promise<number> => {
      const data: { entries: readonly unknown[] } = await (
        await fetch(`${url.origin}/data${url.search}`)
      ).json();
      return data.entries.length;
    };
    const before = await counted();
    await writeFile(file, lines.join("\n"));

    expect(await counted()).toBeGreaterThan(before);
    stopping.abort();
    expect(await served.code).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("reads on where a clock was wrong", async () => {
    const usage = { input_tokens: 30_000, output_tokens: 9 };
    const message = { id: "m1", role: "assistant", model: "claude-opus-5-5", usage, content: [] };
    const line = { type: "assistant", uuid: "u1", sessionId: "s1", requestId: "r1", message };
    const folder = await mkdtemp(join(home, "clock-"));
    for (const timestamp of [1e20, -1e20, "yesterday", null, "+275761-01-01T00:00:00Z"]) {
      await writeFile(join(folder, "s1.jsonl"), JSON.stringify({ ...line, timestamp }));
      expect(await run(["sessions", "--dir", folder])).toMatchObject({ code: 0 });
    }
  });

  it.each(COMMANDS)("prints nothing that a terminal would obey: %s", async (command) => {
    const folder = await mkdtemp(join(home, "hostile-"));
    const source = join(home, ".claude/projects/-home-ada-shop/3f2a9c10-shop.jsonl");
    const lines = (await readFile(source, "utf8"))
      .replaceAll("Why is the total", String.raw`Why\u001b[2J\nis the total`)
      .replaceAll("cart.ts", String.raw`\u001b]0;x\u0007cart.ts`)
      .replaceAll('"Read"', String.raw`"Re\u009bad"`);
    await writeFile(join(folder, "3f2a9c10.jsonl"), lines);
    const { out } = await run([command, "--dir", folder]);
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(out).not.toMatch(/^is the total/m);
  });
});
