import { execFileSync } from "node:child_process";

import { takeTurns, timed, timingCell } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
import { packed } from "../packed.ts";

const BARE = "Node alone";

/** The first is the root README's example. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "first fitted prompt, `agent-history/openai`": `
    const { fitChatMessages } = await import("agent-history/openai");
    fitChatMessages([
      { role: "system", content: "You answer in one sentence." },
      { role: "user", content: "What is the capital of France?" },
      { role: "assistant", content: "Paris is the capital of France. ".repeat(1000) },
      { role: "user", content: "And of Spain?" },
    ], { model: "gpt-4", tools: [] });`,
  [BARE]: "",
  ...Object.fromEntries(
    ["reducer", "openai", "history-manager", "store-redis"].map((name) => [
      `import of \`@agent-history/${name}\``,
      `await import("@agent-history/${name}");`,
    ]),
  ),
};

/** Promised: the first prompt takes at most this many milliseconds more than Node alone. */
const MOST_MS = 150;

/** What a new process takes on the packages as published. */
export async function measureCold({ isQuick }: RunOptions): Promise<Measured> {
  using own = packed();
  const programs = Object.entries(PROGRAMS);
  const timings = await takeTurns(
    programs.map(
      ([, program]) =>
        () =>
          timed(() => run(program, own.folder)),
    ),
    isQuick ? 1 : 10,
  );
  const bareMs = timings[Object.keys(PROGRAMS).indexOf(BARE)]?.minMs ?? Number.NaN;
  const rows = programs.flatMap(([what], nth) => {
    const timing = timings[nth];
    return timing === undefined
      ? []
      : [[what, timingCell(timing), (timing.minMs - bareMs).toFixed(0)]];
  });
  const moreMs = (timings[0]?.minMs ?? Number.NaN) - bareMs;
  return {
    tables: [
      {
        title: "Cold start",
        note: "Milliseconds of a whole new process, fastest / median of 10, on packed packages; more: than Node alone, by the fastest. Left out: installing.",
        head: ["what", "process", "more"],
        rows,
      },
    ],
    broken:
      moreMs > MOST_MS && !isQuick
        ? [`The first prompt takes ${moreMs.toFixed(0)} ms more than Node.`]
        : [],
  };
}

function run(program: string, cwd: string): void {
  execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd });
}
