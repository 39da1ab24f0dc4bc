import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";

import type { InspectorData } from "@agent-history/inspector";
import { writeInspectorPage } from "@agent-history/inspector/node";

import { summaryModelOf } from "./ask.ts";
import type { Team } from "./ask.ts";
import { headline, messageOf, meter, table } from "./compare.ts";
import type { Figures } from "./compare.ts";
import { openStore, realModel, scriptedModels } from "./environment.ts";
import type { Windows } from "./environment.ts";
import { openHistory } from "./history.ts";
import { cutsFor, naiveTeam } from "./naive.ts";
import { answer } from "./orchestrator.ts";
import { pageRecorder } from "./page.ts";
import { runSession } from "./session.ts";
import type { Answer } from "./session.ts";
import { openTerminal } from "./terminal.ts";
import { auditTools } from "./tools.ts";
import { installedLicences } from "./truth.ts";

const HELP = `Audits the licences of the packages installed in a folder, with a team of agents, then with the same team without agent-history.

  --dir FOLDER     the project; default: this one
  --window TOKENS  the context window; default 16000. For orchestrator, manager and worker apart: 32000,32000,16000
  --resume         goes on with the newest thread of the folder
  --page           opens the inspector's page of the run: what each call was sent, and why

OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL name a real model, AGENT_HISTORY_MODEL which; REDIS_URL or DATABASE_URL a store other than a SQLite file.
`;
const CACHE = "node_modules/.cache/licence-audit";

const options = {
  dir: { type: "string", default: "." },
  window: { type: "string", default: "16000" },
  resume: { type: "boolean", default: false },
  page: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return void process.stdout.write(HELP);
  const folder = resolve(values.dir);
  const windows = windowsOf(values.window);
  const truth = installedLicences(folder) ?? [];
  const tools = auditTools(folder);
  const real = await realModel(process.env);
  const rows: Figures[] = [await runTeam()];
  if (real === undefined) {
    for (const [name, cut] of Object.entries(cutsFor(windows))) {
      const gauge = meter(name, truth);
      const team = teamOf(gauge.onCall);
      rows.push(await gauge.run(() => runSession(naiveTeam(cut, team), gauge.onAnswer)));
    }
  }
  process.stdout.write(`\n${headline(rows, truth.length)}\n${table(rows, truth.length)}\n`);
  if (rows[0]?.error !== undefined) process.exitCode = 1;
  function teamOf(onCall: Team["onCall"]): Team {
    const modelOf = real === undefined ? scriptedModels(windows) : () => real;
    return { modelOf, tools, onCall, written: new Map() };
  }
  /** The team with agent-history; what an interrupted process wrote is not asked for again. */
  async function runTeam(): Promise<Figures> {
    const terminal = openTerminal(process.stdout);
    const { store, name, close } = await openStore(process.env, `${CACHE}/threads.db`);
    const prefix = `audit-${basename(folder)}-`;
    const { threads } = await store.list({ prefix, newestFirst: true, limit: 1 });
    const threadId = (values.resume && threads[0]?.threadId) || `${prefix}${Date.now()}`;
    const { entries } = await store.read(threadId, { originals: true });
    const asked = real?.modelId ?? "scripted model: no key, plans by rule, knows only its prompt";
    terminal.line(
      `Licences of the packages installed in ${basename(folder)}, windows of ${values.window} tokens`,
    );
    terminal.line(`${asked} · thread ${threadId} in ${name}`);
    const recorder = pageRecorder();
    const gauge = meter("agent-history", truth);
    const team: Team = {
      ...teamOf(async (call) => {
        gauge.onCall(call);
        terminal.onCall(call);
        if (values.page) await recorder.onCall(call);
      }),
      written: new Map(entries.map((entry) => [entry.id, entry])),
      onSummary: terminal.onSummary,
    };
    const own = { summarize: summaryModelOf(team), onEntries: terminal.onEntries };
    const thread = openHistory({ store, threadId, windows, ...own });
    const onAnswer = async (given: Answer): Promise<void> => {
      gauge.onAnswer(given);
      terminal.onAnswer(given, await thread.citedSources(given.text));
    };
    const figures = await gauge.run(() =>
      runSession((question) => answer(question, thread, team), onAnswer),
    );
    if (values.page)
      await openPage(`${CACHE}/${threadId}.html`, await recorder.data(store, threadId));
    await close();
    return figures;
  }
}

/** Reads `16000`, or a number for each role. A third of the window is for what leads write, a fifth for what a worker reports. */
function windowsOf(text: string): Windows {
  const numbers = text.split(",").map(Number);
  const [orchestrator = NaN, manager = orchestrator, worker = manager] = numbers;
  if (![orchestrator, manager, worker].every((tokens) => Number.isInteger(tokens) && tokens > 0)) {
    throw new Error(`Expected --window to be tokens, such as 16000, got ${text}.`);
  }
  const window = (contextTokens: number, part: number) => {
    return { contextTokens, outputReserveTokens: Math.floor(contextTokens / part) };
  };
  const lead = window(orchestrator, 3);
  return { orchestrator: lead, manager: window(manager, 3), worker: window(worker, 5) };
}

async function openPage(path: string, data: InspectorData): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await writeInspectorPage(path, data);
  process.stdout.write(`Page: ${path}\n`);
  if (!process.stdout.isTTY) return;
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const opened = spawn(opener, [path], { stdio: "ignore", detached: true });
  opened.on("error", () => {}).unref();
}
