// Compares the counters on generated text. `--check` fails where the pure JavaScript one is not at least twice as fast.
import { tiktokenCounter } from "@agent-history/tokens";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

const LEAST_RATIO = 2;
const RUNS = 5;

const encoding = "o200k_base";
const counters = {
  tiktoken: tiktokenCounter({ encoding }),
  "gpt-tokenizer": gptTokenizerCounter({ encoding }),
};
const texts = Object.entries({
  prose: generate([
    "The",
    "agent",
    "reads",
    "the",
    "history,",
    "then",
    "it",
    "answers.",
    "Maßstab",
  ]),
  json: generate(['{"id":', '"a81f",', '"count":', "1024,", '"items":', "[true,", "null]}\n"]),
  code: generate(["const", "total", "=", "items.reduce((sum,", "item)", "=>", "sum", "+", "1);\n"]),
  chinese: generate(["今天", "天气很好，", "我们去", "公园", "散步。", "历史"]),
});

let slowest = Infinity;
for (const [name, samples] of texts) {
  const speeds = Object.entries(counters).map(([library, counter]) => {
    const tokens = samples.reduce((sum, text) => sum + counter.countText(text), 0);
    return {
      library,
      tokens,
      perSecond: tokens / fastest(() => samples.forEach((text) => counter.countText(text))),
    };
  });
  const [reference, counter] = speeds;
  if (reference === undefined || counter?.tokens !== reference.tokens) {
    throw new Error(`The counters disagree on ${name}.`);
  }
  const ratio = counter.perSecond / reference.perSecond;
  slowest = Math.min(slowest, ratio);
  const columns = speeds.map(({ library, perSecond }) => `${library} ${millions(perSecond)}`);
  process.stdout.write(`${name.padEnd(8)} ${columns.join("   ")}   ${ratio.toFixed(1)} times\n`);
}
if (process.argv.includes("--check") && slowest < LEAST_RATIO) {
  process.stderr.write(`Expected at least ${LEAST_RATIO} times; got ${slowest.toFixed(1)}.\n`);
  process.exitCode = 1;
}

/** Two hundred texts of a thousand words, with a number here and there: no two alike, and the same at each run. */
function generate(words: readonly string[]): readonly string[] {
  let state = 1;
  const next = (limit: number): number => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % limit;
  };
  const word = (): string =>
    next(8) === 0 ? String(next(100_000)) : (words[next(words.length)] ?? "");
  return Array.from({ length: 200 }, () => Array.from({ length: 1000 }, word).join(" "));
}

/** In seconds. */
function fastest(run: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times) / 1000;
}

function millions(perSecond: number): string {
  return `${(perSecond / 1_000_000).toFixed(1).padStart(5)} M tokens/s`;
}
