import CliTable from "cli-table3";

import type { ModelCall } from "./ask.ts";
import type { Answer } from "./session.ts";
import { firstLicenceLine } from "./truth.ts";
import type { InstalledLicence } from "./truth.ts";

/** What a team's run came to. */
export interface Figures {
  readonly name: string;
  readonly calls: number;
  readonly tokens: number;
  readonly largest: number;
  /** Tokens that stood at the beginning of the previous prompt of the same agent, as the model reports. */
  readonly cached: number;
  readonly found: number;
  readonly right: number;
  /** What stopped it. */
  readonly error?: string;
}

/** Adds up what the model reports of each call, and judges the answers. */
export function meter(name: string, truth: readonly InstalledLicence[]) {
  let calls = 0;
  let tokens = 0;
  let largest = 0;
  let cached = 0;
  const answers: Answer[] = [];
  return {
    onCall: ({ inputTokens, cachedTokens }: ModelCall): void => {
      calls += 1;
      tokens += inputTokens;
      largest = Math.max(largest, inputTokens);
      cached += cachedTokens;
    },
    onAnswer: (answer: Answer): void => void answers.push(answer),
    /** Runs the team, and says what it came to. */
    run: async (work: () => Promise<void>): Promise<Figures> => {
      const error = await work().then(
        () => undefined,
        (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
      );
      const found = foundIn(answers[0]?.text ?? "", truth).length;
      const right = answers.filter((answer) => isRight(answer, truth)).length;
      const figures = { name, calls, tokens, largest, cached, found, right };
      return error === undefined ? figures : { ...figures, error };
    },
  };
}

/** The packages whose licence an answer says. */
function foundIn(answer: string, truth: readonly InstalledLicence[]): readonly InstalledLicence[] {
  const lines = answer.split("\n").map((line) => `${line},`.replaceAll(/ \[source[^\]]*\]/g, ""));
  return truth.filter(({ id, licence }) =>
    lines.some((line) => line.startsWith(`${licence} (`) && line.includes(` ${id},`)),
  );
}

function isRight({ question, text }: Answer, truth: readonly InstalledLicence[]): boolean {
  if (question.startsWith("Quote")) {
    const asked = truth.find(({ id }) => question.includes(` ${id}.`));
    return asked !== undefined && text.includes(firstLicenceLine(asked) ?? "no licence file");
  }
  if (!question.includes("not permissive")) return foundIn(text, truth).length === truth.length;
  const named: readonly string[] = text.match(/\S+@\d[^\s,]*/g) ?? [];
  const wanted = truth.filter(({ licence }) => !PERMISSIVE.test(licence));
  return named.length === wanted.length && wanted.every(({ id }) => named.includes(id));
}

/** A list of its own: the judge does not ask the model what permissive means. */
const PERMISSIVE =
  /\b(MIT|ISC|Apache-2\.0|0?BSD|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Zlib|Python-2\.0|WTFPL)\b/;

/** The result of a run in one line. */
export function headline([ours, ...others]: readonly Figures[], packages: number): string {
  if (ours === undefined) return "";
  const { found, calls, error } = ours;
  const end = error === undefined ? "every call fits" : `stopped at call ${calls}`;
  const without = others.map((one) => {
    return one.error === undefined ? `${one.found} of ${packages}` : `stopped at call ${one.calls}`;
  });
  return [
    `${found} of ${packages}, ${end}.`,
    ...(without.length > 0 ? [`Without: ${without.join("; ")}.`] : []),
  ].join(" ");
}

/** The teams side by side. */
export function table(rows: readonly Figures[], packages: number): string {
  const drawn = new CliTable({
    head: ["", "packages", "answers", "calls", "tokens", "largest", "unchanged prefix"],
    colAligns: ["left", ...Array.from({ length: 6 }, () => "right" as const)],
    style: { head: [], border: [], compact: true },
    chars: { ...Object.fromEntries(BORDERS.map((name) => [name, ""])), middle: " " },
  });
  for (const { name, found, right, calls, tokens, largest, cached, error } of rows) {
    const numbers = [calls, tokens, largest].map((value) => value.toLocaleString("en"));
    const prefix = tokens === 0 ? "" : `${Math.round((100 * cached) / tokens)}%`;
    drawn.push([name, `${found} of ${packages}`, `${right} of 3`, ...numbers, prefix]);
    if (error !== undefined) drawn.push([{ content: `  call ${calls}: ${error}`, colSpan: 7 }]);
  }
  return drawn.toString();
}

const SIDES = ["", "-mid", "-left", "-right"];
const BORDERS = ["top", "bottom", "left", "right", "mid"].flatMap((name) =>
  SIDES.map((side) => name + side),
);
