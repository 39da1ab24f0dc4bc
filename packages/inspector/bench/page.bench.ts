// Measures the page in Chromium: its size, the time until it is ready, and the frames per second while it scrolls, with 5,000 entries in 500 calls and with 100,000 in 50.
// `--check` fails if a limit is exceeded.
import { userMessage, action, observation, assistantMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { inspectorPage, inspectPlans, lengthCounter } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { planReduction } from "@agent-history/reducer";
import type { Page } from "playwright-core";

import { findBrowser } from "../test-support/find-browser.ts";
import { launchBrowser } from "../test-support/launch-browser.ts";
import { withPage } from "../test-support/open-page.ts";

const LEAST_FRAMES = 30;
const SCROLL_MS = 3000;
const SIZES = [
  { entries: 5000, calls: 500 },
  { entries: 100_000, calls: 50 },
];
const broken: string[] = [];

const program = await findBrowser();
if (program.kind === "none") throw new Error(program.reason);
const browser = await launchBrowser(program);
for (const { entries, calls } of SIZES) {
  const data = sessionOf(entries, calls);
  const megabytes = inspectorPage(data).length / 1e6;
  const start = performance.now();
  await withPage(browser, data, async ({ page }) => {
    await page.click('label:has([value="map"])');
    // Use `evaluate`, because the page's policy blocks all other scripts.
    await page.evaluate(`new Promise((done) => {
      const look = () =>
        document.querySelector(".map canvas")?.width > 100 ? done() : requestAnimationFrame(look);
      look();
    })`);
    const openMs = performance.now() - start;
    const map = await scroll(page, ".map");
    await page.click('label:has([value="roles"])');
    const list = await scroll(page, ".list");
    const said = [map, list].map(
      ({ perSecond, worstMs }) => `${perSecond.toFixed(0)} (worst ${worstMs.toFixed(0)} ms)`,
    );
    print(
      `${entries} entries in ${calls} calls: ${megabytes.toFixed(1)} MB, written and drawn after ${openMs.toFixed(0)} ms; frames a second: map ${said.join(", list ")}`,
    );
    if (Math.min(map.perSecond, list.perSecond) < LEAST_FRAMES) broken.push(`${entries} entries`);
  });
}
await browser.close();
if (process.argv.includes("--check") && broken.length > 0) {
  process.stderr.write(`Below ${LEAST_FRAMES} frames a second: ${broken.join(", ")}.\n`);
  process.exitCode = 1;
}

interface Frames {
  readonly perSecond: number;
  readonly worstMs: number;
}

/** Scrolls by 1,500 pixels per frame. */
function scroll(page: Page, selector: string): Promise<Frames> {
  return page.evaluate(`new Promise((done) => {
    const at = document.querySelector(${JSON.stringify(selector)});
    const start = performance.now();
    let [frames, worstMs, last] = [0, 0, start];
    const step = (now) => {
      worstMs = Math.max(worstMs, now - last);
      last = now;
      frames += 1;
      at.scrollTop = at.scrollTop + 1500 < at.scrollHeight - at.clientHeight ? at.scrollTop + 1500 : 0;
      if (now - start < ${SCROLL_MS}) requestAnimationFrame(step);
      else done({ perSecond: (frames / (now - start)) * 1000, worstMs });
    };
    requestAnimationFrame(step);
  })`);
}

/** Creates turns of a coding agent that reads files, with a full window in each call. */
function sessionOf(length: number, calls: number): InspectorData {
  const entries: HistoryEntry[] = [];
  for (let turn = 0; entries.length < length; turn++) entries.push(...turnOf(turn));
  const counter = lengthCounter();
  const plans: ReductionPlan[] = [];
  for (let call = 1; call <= calls; call++) {
    const view = entries.slice(0, Math.floor((entries.length * call) / calls));
    const window = { contextTokens: 120_000 };
    plans.push(planReduction(view, { counter, window, previousPlan: plans.at(-1) }));
  }
  return inspectPlans({ plans, entries, counter });
}

function turnOf(turn: number): readonly HistoryEntry[] {
  const of = (name: string): { id: string; createdAtMs: number } => ({
    id: `${name}-${turn}`,
    createdAtMs: turn,
  });
  return [
    userMessage({ ...of("question"), content: `What about the rounding of ${turn}?` }),
    ...["a", "b", "c"].flatMap((file) => [
      action({
        ...of(`read-${file}`),
        toolCalls: [
          { id: `${file}-${turn}`, name: "read_file", arguments: `{"path":"${file}.ts"}` },
        ],
      }),
      observation({
        ...of(`result-${file}`),
        callId: `${file}-${turn}`,
        toolName: "read_file",
        outcome: "success",
        content: `export const ${file}${turn} = 1;\n`.repeat(12),
      }),
    ]),
    assistantMessage({ ...of("answer"), content: `The rounding of ${turn} is done.` }),
  ];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
