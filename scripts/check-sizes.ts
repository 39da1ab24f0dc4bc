import { builtinModules, isBuiltin } from "node:module";
import { gzipSync } from "node:zlib";

import { build, type Metafile } from "esbuild";

import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Weighs what a user's bundle gains by an import, minified and gzipped with all it imports, and
 * proves that nothing of it needs Node.
 */

/**
 * In bytes of gzip, some 5% above what they weigh, so that a fix fits in. Every entry listed here also runs where there is no Node.
 * `filters` grew by what a lead and a worker may see of their own work, and by 0.1 kB for pairing by names that are no JSON and only where an exchange may be
 * cut (a third of the time on 100,000 entries), `postprocess` by code blocks in quotations and lists, by the check
 * of cleaners and by 0.2 kB that makes it several times as fast where tags are dense. `filters` grew by 0.1 kB of entries by id, which `selectEntries` shows and checks, and by less than 0.1 kB of facts that grow with a history. `fitToWindow` grew by whole turns, by calls made by calls,
 * by plans that compare contents, by what broken and changed histories ask for, by recall blocks (0.6 kB), by the choice of messages by what they
 * say for their length, uncounted as long as they may become a line (1.6 kB, with what keeps a history that fits as it is), and by edits of arguments,
 * which masking makes (0.1 kB), and by guesses of long texts, so that a stateless fit tokenizes four windows at most (0.4 kB, after the second look further
 * back was taken away), and by what is remembered of plans and plain exchanges, so that one more turn costs what is new (1.2 kB), and by
 * counting and writing down without a generator or an object for each entry, which makes a cut a quarter cheaper (0.3 kB), and by what plans carry unseen, which makes one more turn a sixth cheaper (0.2 kB), and by
 * cuts of plain turns in one pass, a fourth of the time (1.8 kB), and by densities of long texts (0.1 kB), and by names for malformed entries, which are
 * looked for after a failure (0.6 kB), and by gaps and ids that are remembered with a plan, which makes one more turn a fourth cheaper (0.3 kB), and by
 * late answers beside the question (0.05 kB); it is meant to come down again, to 11.5 kB. What reads a whole history takes steps, so that a long one blocks nobody (0.1 kB in each).
 *
 * What only packages use has entries of its own, so `core` holds what its users name: entries and their groups (1.1 kB), pairing, exchanges and
 * turns (2.2), `repairHistory` (0.7), `applyCompactions` (0.4) and the rest, 5.5 kB in all. Queries, which filters and stores answer, add 1.8. `checkHistory`, which serves tests, adds 1.9.
 */
const budgets: Readonly<Record<string, number>> = {
  "@agent-history/core": 5_800,
  "@agent-history/filters": 5_700,
  "@agent-history/postprocess": 4_050,
  // Without a budget, but just as free of Node.
  "@agent-history/filters/completion": Infinity,
  // One export of an entry, with what it alone imports.
  "@agent-history/reducer#fitToWindow": 31_550,
  "@agent-history/reducer": Infinity,
  "@agent-history/reducer/lexical": Infinity,
  "@agent-history/reducer/recall": 4_200,
  "@agent-history/compression": Infinity,
  "@agent-history/history-manager": 57_250,
  "@agent-history/format-kit": Infinity,
  // Each format remembers long conversations, place by place (0.4 kB).
  "@agent-history/openai": 18_200,
  // The memory tool and the Agent SDK's sessions, which need nothing of the rest, are 3.5 kB of it.
  "@agent-history/anthropic": 20_600,
  "@agent-history/ai-sdk": 20_900,
  "@agent-history/langchain": 21_500,
  "@agent-history/openai-agents#historySession": 4_500,
  "@agent-history/openai-agents": 19_800,
  "@agent-history/transcripts": Infinity,
  // What draws plans; and all of it, with the page as a text: 106 kB, of which half is what computes what if, with the counters (1.5 kB more since they read
  // UTF-8 without a regular expression).
  "@agent-history/inspector#inspectPlans": 12_800,
  "@agent-history/inspector": 177_000,
  // Everything that `createHistory` chooses: the manager, the filters, compression, recall.
  "agent-history": 126_500,
  // A format, the fit and the counters without their tables, which Node reads at the first count.
  "agent-history/ai-sdk": 58_600,
  "agent-history/anthropic": 57_300,
  "agent-history/langchain": 58_700,
  "agent-history/openai-agents": 56_900,
  "agent-history/openai": 55_500,
  "@agent-history/core/memory-store": Infinity,
  "@agent-history/core/query-parts": Infinity,
  "@agent-history/core/move-thread": Infinity,
  "@agent-history/core/check": Infinity,
  "@agent-history/core/content-hash": Infinity,
  "@agent-history/core/result-media": Infinity,
  "@agent-history/core/schema": Infinity,
  // What stores and the manager check by; zod would be 27 kB.
  "@agent-history/core/stored-form": 5_450,
  "@agent-history/core/tracing": Infinity,
  "@agent-history/store-kit": 37_000,
  "@agent-history/tokens": Infinity,
  "@agent-history/tokens/cl100k-base": Infinity,
  "@agent-history/tokens/o200k-base": Infinity,
  "@agent-history/tokens/gpt-tokenizer": Infinity,
};

/** What opens files and sockets has a budget too, and may import Node's modules. */
const onNode: Readonly<Record<string, number>> = {
  // The functions in SQL and the scripts in Lua are half of it; the rest the store kit's planning and core's checks of what is read.
  "@agent-history/store-postgres": 48_500,
  "agent-history/store-postgres": 48_500,
  "agent-history/store-redis": 57_500,
  "agent-history/store-sqlite": 42_200,
};

/** What serves another export alone is weighed by what it adds to that one. */
const additions: Readonly<Record<string, string>> = {
  "@agent-history/reducer/recall": "@agent-history/reducer#fitToWindow",
};

/** Not weighed where they are peers, which the user chose. */
const peers = ["ai", "fast-check", "pg", "redis", "vitest", "zod"];

const entries = publishedPackages().flatMap((published) =>
  published.entries.map((entry) => ({
    ...entry,
    peers: peers.filter((peer) => peer in published.peers),
  })),
);

for (const [name, budget] of Object.entries({ ...budgets, ...onNode })) {
  const base = additions[name];
  const weighed = await weigh(base === undefined ? [name] : [base, name]);
  const size = weighed.size - (base === undefined ? 0 : (await weigh([base])).size);
  const { heaviest } = weighed;
  const nodeImports = name in onNode ? [] : weighed.nodeImports;
  const verdict = size <= budget ? "ok" : "too heavy";
  console.log(`${name.padEnd(30)} ${kilobytes(size)} of ${kilobytes(budget)}  ${verdict}`);
  for (const line of nodeImports) console.error(`${name} must run without Node, but ${line}`);
  if (size > budget) console.error(`  heaviest: ${heaviest.slice(0, 8).join(", ")}`);
  if (size > budget || nodeImports.length > 0) process.exitCode = 1;
}

interface Weight {
  /** In bytes of gzip. */
  readonly size: number;
  /** The files of the bundle and their bytes before gzip, heaviest first. */
  readonly heaviest: readonly string[];
  readonly nodeImports: readonly string[];
}

/** Weighs entries together, or what is named of one behind a `#`. */
async function weigh(names: readonly string[]): Promise<Weight> {
  const outside = names.flatMap((name) => entryOf(name)?.peers ?? []);
  const { metafile, outputFiles } = await build({
    stdin: { contents: names.map(exportOf).join("\n"), resolveDir: rootFolder },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    // Node's modules are left out too: what imports them is named instead of failing the build.
    // OpenTelemetry's API does nothing without an SDK, and weighs 3 kB.
    external: ["@opentelemetry/api", ...outside, ...builtinModules, "node:*"],
    metafile: true,
    write: false,
  });
  const size = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  return { size, heaviest: heaviestOf(metafile), nodeImports: nodeImportsOf(metafile) };
}

function entryOf(name: string): (typeof entries)[number] | undefined {
  return entries.find((one) => one.name === name.split("#")[0]);
}

function exportOf(name: string): string {
  const [, exported] = name.split("#");
  const what = exported === undefined ? "*" : `{ ${exported} }`;
  return `export ${what} from ${JSON.stringify(entryOf(name)?.file ?? name)};`;
}

function heaviestOf({ outputs }: Metafile): string[] {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .toSorted(([, one], [, other]) => other.bytesInOutput - one.bytesInOutput)
    .map(
      ([path, { bytesInOutput }]) =>
        `${path.replace(/^.*\/(dist|node_modules)\//, "")} ${bytesInOutput}`,
    );
}

function nodeImportsOf({ inputs }: Metafile): string[] {
  return Object.entries(inputs).flatMap(([importer, { imports }]) =>
    imports
      .filter(({ path, external }) => external === true && isBuiltin(path))
      .map(({ path }) => `${importer} imports ${path}`),
  );
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(2)} kB`;
}
