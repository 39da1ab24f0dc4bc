import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import type { WindowFigures } from "./windows.ts";

const LAWS = ["L1", "L2", "L3", "L4", "L9", "L15", "L16"] as const;

/** Draws what was sent, by window and by what the conversations are. */
export function windowTables(figures: readonly WindowFigures[]): readonly ResultTable[] {
  const all = [false, true].map((isIncremental) =>
    sumOf(figures.filter((one) => one.isIncremental === isIncremental)),
  );
  const byWindow = grouped(figures, ({ windowTokens }) => windowTokens.toLocaleString("en"));
  const bySource = grouped(figures, ({ source }) => source);
  return [
    table("Windows: by size", [...byWindow, ...all.map((sum) => ["all", sum] as const)]),
    table("Windows: by conversations", bySource),
    rulesTable(all),
  ];
}

/** Says in a line what was used of windows and what stayed the same, stateless and incremental. */
export function summaryLine(figures: readonly WindowFigures[]): string {
  const parts = [false, true].map((isIncremental) => {
    const sum = sumOf(figures.filter((one) => one.isIncremental === isIncremental));
    const used = `${share(sum.used, sum.cut)} used of ${sum.cut} cut prompts`;
    const broken = LAWS.reduce((most, law) => most + brokenOf(sum, law), 0);
    return `${used}, ${share(sum.prefixTokens, sum.sentTokens)} prefix, ${broken} broken`;
  });
  return parts.join("; incremental ");
}

function table(
  title: string,
  rows: readonly (readonly [name: string, sum: WindowFigures])[],
): ResultTable {
  return {
    title,
    note: "A fit at every point where a model was called, without a plan and with the plan of the call before. Used: the share of the window, over the prompts from which something was cut. Prefix: the share of all sent tokens that the prompt before had at the same place. Begins with: the first message after the system messages. L1 to L16: prompts in which that law was broken.",
    head: [
      "conversations",
      "fit",
      "prompts",
      "refused",
      "cut",
      "used",
      "prefix",
      "begins with user",
      "assistant",
      "tool",
      "nothing",
      ...LAWS,
    ],
    rows: rows.map(([name, sum]) => [
      name,
      sum.isIncremental ? "incremental" : "stateless",
      ...[sum.prompts, sum.refused, sum.cut].map((count) => count.toLocaleString("en")),
      share(sum.used, sum.cut),
      share(sum.prefixTokens, sum.sentTokens),
      ...Object.values(sum.first).map((count) => share(count, sum.prompts - sum.refused)),
      ...LAWS.map((law) => brokenOf(sum, law).toLocaleString("en")),
    ]),
    figures: rows.map(([, sum]) => sum),
  };
}

function rulesTable(sums: readonly WindowFigures[]): ResultTable {
  const rules = [...new Set(sums.flatMap(({ broken }) => Object.keys(broken)))].toSorted();
  const figures = rules.map((rule) => ({
    rule,
    prompts: sums.map(({ broken }) => broken[rule] ?? 0),
  }));
  return {
    title: "Windows: rules broken",
    note: rules.length === 0 ? "None." : "In how many prompts.",
    head: ["rule", "stateless", "incremental"],
    rows: figures.map(({ rule, prompts }) => [
      rule,
      ...prompts.map((count) => count.toLocaleString("en")),
    ]),
    figures,
  };
}

/** The largest count of one rule of the law: a prompt that breaks two counts once at least. */
function brokenOf({ broken }: WindowFigures, law: string): number {
  const counts = Object.entries(broken).flatMap(([rule, count]) =>
    rule.startsWith(`${law} `) ? [count] : [],
  );
  return Math.max(0, ...counts);
}

function grouped(
  figures: readonly WindowFigures[],
  nameOf: (one: WindowFigures) => string,
): readonly (readonly [string, WindowFigures])[] {
  const names = [...new Set(figures.map(nameOf))];
  return names.flatMap((name) =>
    [false, true].map((isIncremental) => {
      const some = figures.filter(
        (one) => nameOf(one) === name && one.isIncremental === isIncremental,
      );
      return [name, sumOf(some)] as const;
    }),
  );
}

function sumOf(figures: readonly WindowFigures[]): WindowFigures {
  const [first] = figures;
  if (first === undefined) throw new Error("Expected at least one measurement.");
  const sum = (of: (one: WindowFigures) => number): number =>
    figures.reduce((total, one) => total + of(one), 0);
  const { source, windowTokens, isIncremental } = first;
  const firsts = (role: keyof WindowFigures["first"]): number => sum((one) => one.first[role]);
  const rules = new Set(figures.flatMap(({ broken }) => Object.keys(broken)));
  return {
    source,
    windowTokens,
    isIncremental,
    prompts: sum(({ prompts }) => prompts),
    refused: sum(({ refused }) => refused),
    cut: sum(({ cut }) => cut),
    used: sum(({ used }) => used),
    sentTokens: sum(({ sentTokens }) => sentTokens),
    prefixTokens: sum(({ prefixTokens }) => prefixTokens),
    first: {
      user: firsts("user"),
      assistant: firsts("assistant"),
      tool: firsts("tool"),
      nothing: firsts("nothing"),
    },
    broken: Object.fromEntries(
      [...rules].map((rule) => [rule, sum((one) => one.broken[rule] ?? 0)]),
    ),
  };
}

function share(part: number, whole: number): string {
  return whole === 0 ? "–" : percent(part / whole);
}
