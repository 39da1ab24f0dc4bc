// Compares this package's counters with tiktoken itself: speed on generated text whose words come again, and on text that the process has
// not counted before; a limit, and the first count of a process. Runs are interleaved; a row whose halves differ by more than a
// third is measured again. `--check` fails where a figure misses its aim.
import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";

import { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
import { get_encoding } from "tiktoken";

import { unseenTexts } from "./unseen-texts.ts";

const RUNS = 6;
const REPEATS = 3;

const reference = get_encoding("o200k_base");
const counter = o200kBaseCounter();
let missed = 0;

for (const [name, words] of Object.entries({
  prose: "The agent reads the history, then it answers. Maßstab".split(" "),
  json: '{"id": "a81f", "count": 1024, "items": [true, null]}\n'.split(" "),
  code: "const total = items.reduce((sum, item) => sum + 1);\n".split(" "),
  chinese: "今天 天气很好， 我们去 公园 散步。 历史".split(" "),
})) {
  const texts = generate(words, 40);
  const isSame = texts.every(
    (text) => counter.countText(text) === reference.encode_ordinary(text).length,
  );
  if (!isSame) throw new Error(`The counters disagree on ${name}.`);
  compare(`${name}: tiktoken against this package's counter`, { atLeast: aimOf(name) }, [
    () => texts.forEach((text) => reference.encode_ordinary(text)),
    () => texts.forEach((text) => counter.countText(text)),
  ]);
}

const unseen = Array.from(unseenTexts());
// The engine has compiled the counter before, on other texts.
for (let pass = 0; pass < REPEATS; pass += 1) {
  for (const [, texts] of unseen) {
    for (const text of texts.slice(0, texts.length / 3)) counter.countText(text);
  }
}
for (const [name, all] of unseen) {
  const texts = all.slice(all.length / 3);
  const shares = Array.from({ length: RUNS * REPEATS }, (_share, share) =>
    texts.filter((_text, nth) => nth % (RUNS * REPEATS) === share),
  );
  // Each run counts texts that none before has counted.
  const countNext = (count: (text: string) => unknown): (() => void) => {
    let turn = 0;
    return () => {
      for (const text of shares[turn] ?? []) count(text);
      turn += 1;
    };
  };
  compare(
    `${name}, unseen: tiktoken against this package's counter`,
    { atLeast: aimOf(name) / 2 },
    [
      countNext((text) => reference.encode_ordinary(text)),
      countNext((text) => counter.countText(text)),
    ],
  );
  const isSame = texts.every(
    (text) => counter.countText(text) === reference.encode_ordinary(text).length,
  );
  if (!isSame) throw new Error(`The counters disagree on unseen ${name}.`);
}

const text = generate("The agent reads the history, then it answers.".split(" "), 300).join(" ");
const result = text.slice(0, 100_000);
compare("100 kB against 100 kB with atMost: 1500", { atLeast: 8 }, [
  () => counter.countText(result),
  () => counter.countText(result, { atMost: 1500 }),
]);

const first = `import { tiktokenCounter } from ${JSON.stringify(import.meta.resolve("@agent-history/tokens"))};
tiktokenCounter({ encoding: "o200k_base" }).countText("Hello");`;
const [bare, cold] = interleave([() => run("0"), () => run(first)]);
const coldMs = (cold?.min ?? Infinity) - (bare?.min ?? 0);
report("first count of a process, beside bare Node", coldMs <= 100, [
  `min ${coldMs.toFixed(0)} ms`,
  `median ${((cold?.median ?? 0) - (bare?.median ?? 0)).toFixed(0)} ms`,
]);
reference.free();
if (process.argv.includes("--check") && missed > 0) process.exitCode = 1;

/** Of what an idle machine shows, about a half: others use it too. */
function aimOf(kind: string): number {
  return ["chinese", "japanese", "mixed"].includes(kind) ? 1.5 : 2;
}

interface Times {
  readonly min: number;
  readonly median: number;
}

/** Compares the time of the first with that of the second. */
function compare(
  name: string,
  { atLeast }: { readonly atLeast: number },
  works: readonly [() => void, () => void],
): void {
  const [one, other] = interleave(works);
  const ratios = [one.min / other.min, one.median / other.median];
  report(name, (ratios[0] ?? 0) >= atLeast, [
    `min ${(ratios[0] ?? 0).toFixed(2)} times`,
    `median ${(ratios[1] ?? 0).toFixed(2)} times`,
    `aim ${atLeast}`,
  ]);
}

function report(name: string, isMet: boolean, columns: readonly string[]): void {
  if (!isMet) missed += 1;
  const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  process.stdout.write(`${[name, ...columns, load, isMet ? "met" : "missed"].join("   ")}\n`);
}

/** Measures works in turn, in milliseconds; again where halves of one differ by more than a third. */
function interleave(works: readonly [() => void, () => void]): readonly [Times, Times] {
  let times: readonly [number[], number[]] = [[], []];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    times = [[], []];
    for (let nthRun = 0; nthRun < RUNS; nthRun += 1) {
      for (const nth of [0, 1] as const) {
        const start = performance.now();
        works[nth]();
        times[nth].push(performance.now() - start);
      }
    }
    if (times.every(isSteady)) break;
  }
  return [timesOf(times[0]), timesOf(times[1])];
}

function isSteady(times: readonly number[]): boolean {
  const one = medianOf(times.slice(0, RUNS / 2));
  const other = medianOf(times.slice(RUNS / 2));
  return Math.max(one, other) / Math.min(one, other) <= 4 / 3;
}

function timesOf(times: readonly number[]): Times {
  return { min: Math.min(...times), median: medianOf(times) };
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? NaN;
}

function run(program: string): void {
  spawnSync(process.execPath, [...process.execArgv, "--input-type=module", "--eval", program]);
}

/** Texts of a thousand words, with a number here and there: no two alike, and the same at each run. */
function generate(words: readonly string[], count: number): readonly string[] {
  let state = 1;
  const next = (limit: number): number => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % limit;
  };
  const word = (): string =>
    next(8) === 0 ? String(next(100_000)) : (words[next(words.length)] ?? "");
  return Array.from({ length: count }, () => Array.from({ length: 1000 }, word).join(" "));
}
