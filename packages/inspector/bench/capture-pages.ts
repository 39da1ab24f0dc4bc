// Draws the pictures of the guide: `node --conditions=@agent-history/source packages/inspector/bench/capture-pages.ts`. It needs Chromium, as the tests do.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inspectSession } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { claudeCodeReader } from "@agent-history/transcripts";
import type { Page } from "playwright-core";

import { writeSessions } from "../../agent-history/test-support/write-sessions.ts";
import { unpackData } from "../src/internal/packed-data.ts";
import { findBrowser } from "../test-support/find-browser.ts";
import { launchBrowser } from "../test-support/launch-browser.ts";
import { withPage } from "../test-support/open-page.ts";
import { threeRoles } from "../test-support/three-roles.ts";

const root = join(import.meta.dirname, "../../..");
const pictures = join(root, "docs/guide/pictures");

interface Capture {
  readonly name: string;
  readonly view: string;
  readonly data: InspectorData;
  readonly before?: (page: Page) => Promise<void>;
}

const session = await codingSession();
const roles = threeRoles();
const broken = roles.calls.findLastIndex(({ change }) => (change?.sentAgainTokens ?? 0) > 0);
const captures: readonly Capture[] = [
  { name: "cost", view: "cost", data: session },
  {
    name: "map",
    view: "map",
    data: session,
    before: async (page) => {
      await page.focus(".map");
      await page.keyboard.press("Home");
      for (let row = 0; row < 3; row++) await page.keyboard.press("ArrowDown");
    },
  },
  { name: "roles", view: "roles", data: await demoConversation() },
  {
    name: "requests",
    view: "requests",
    data: roles,
    before: (page) => page.fill(".picker input", String(broken + 1)),
  },
  { name: "compaction", view: "compactions", data: session },
  {
    name: "what-if",
    view: "what-if",
    data: roles,
    before: async (page) => {
      await page.fill(".picker input", String(broken + 1));
      const { totalTokens = 0, request } = roles.calls[broken] ?? {};
      const { outputReserveTokens = 0, marginTokens = 0 } = request?.window ?? {};
      const half = Math.ceil(totalTokens / 2) + outputReserveTokens + marginTokens;
      await page.fill("form input[type=number]", String(half));
    },
  },
];

const program = await findBrowser();
if (program.kind === "none") throw new Error(program.reason);
const browser = await launchBrowser(program);
await mkdir(pictures, { recursive: true });
for (const { name, view, data, before } of captures) {
  await withPage(
    browser,
    data,
    async ({ page }) => {
      await page.click(`label:has([value="${view}"])`);
      await before?.(page);
      await page.mouse.move(0, 0);
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(pictures, `inspector-${name}.png`) });
    },
    { width: 1200, height: 640 },
  );
}
await browser.close();

/** The conversation of the demo without an API key, about the packages installed here. */
async function demoConversation(): Promise<InspectorData> {
  const demo = ["--conditions=@agent-history/source", "apps/demo-agent/src/main.ts", "--page"];
  const output = execFileSync(process.execPath, demo, { cwd: root, encoding: "utf8" });
  const [, page = ""] = /^Page: (.*)$/m.exec(output) ?? [];
  const html = await readFile(join(root, page), "utf8");
  const [, json = ""] = /id="data">([^<]*)</.exec(html) ?? [];
  return { ...unpackData(JSON.parse(json)), title: "The demo" };
}

/** The session that the command line's tests explain: it reads, tests and edits files of a shop, and is compacted and cleared. */
async function codingSession(): Promise<InspectorData> {
  const home = await mkdtemp(join(tmpdir(), "agent-history-captures-"));
  try {
    await writeSessions(home);
    const file = join(home, ".claude/projects/-home-ada-shop/3f2a9c10-shop.jsonl");
    const reader = claudeCodeReader();
    const lines = (await readFile(file, "utf8")).split("\n");
    const items = [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
    return inspectSession(items, { title: "A session of a coding agent" });
  } finally {
    await rm(home, { recursive: true });
  }
}
