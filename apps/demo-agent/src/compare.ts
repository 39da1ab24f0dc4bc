import CliTable from "cli-table3";

import type { ModelCall } from "./ask.ts";
import type { Answer } from "./session.ts";
import { firstLicenceLine } from "./truth.ts";
import type { InstalledLicence } from "./truth.ts";

/** What a team's run came to. */
export interface Figures {
  readonly name: string;
  /** The tokens of each call. */
  readonly inputs: readonly number[];
  /** The tokens of each call for a summary, which stands apart. */
  readonly summaries: readonly number[];
  /** The share of what agents were sent that stood at the beginning of their previous prompt, 0 to 1, as the model reports. */
  readonly unchanged: number;
  readonly found: number;
  readonly right: number;
  /** What stopped it. */
  readonly error?: string;
}

/** Adds up what the model reports of each call, and judges the answers. */
export function meter(name: string, truth: readonly InstalledLicence[]) {
  const [calls, summaryCalls]: [ModelCall[], ModelCall[]] = [[], []];
  const answers: Answer[] = [];
  return {
    onCall: (call: ModelCall): void => void (call.isSummary ? summaryCalls : calls).push(call),
    onAnswer: (answer: Answer): void => void answers.push(answer),
    /** Runs the team, and says what it came to. */
    run: async (work: () => Promise<void>): Promise<Figures> => {
      const error = await work().then(() => undefined, messageOf);
      const found = foundIn(answers[0]?.text ?? "", truth).length;
      const right = answers.filter((answer) => isRight(answer, truth)).length;
      const inputs = calls.map(inputOf);
      const unchanged = sumOf(calls.map((one) => one.cachedTokens)) / Math.max(1, sumOf(inputs));
      const summaries = summaryCalls.map(inputOf);
      const figures = { name, found, right, inputs, unchanged, summaries };
      return { ...figures, ...(error !== undefined && { error }) };
    },
  };
}

const inputOf = ({ inputTokens }: ModelCall): number => inputTokens;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** What failed, in a line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
  const end =
    ours.error === undefined ? "every call fits" : `stopped at call ${ours.inputs.length}`;
  const without = others.map(({ error, inputs, found }) => {
    return error === undefined ? `${found} of ${packages}` : `stopped at call ${inputs.length}`;
  });
  const rest = without.length > 0 ? ` Without: ${without.join("; ")}.` : "";
  return `${ours.found} of ${packages}, ${end}.${rest}`;
}

/** The teams side by side. */
export function table(rows: readonly Figures[], packages: number): string {
  const drawn = new CliTable({
    head: ["", "packages", "answers", "calls", "tokens", "largest", "unchanged prefix"],
    colAligns: ["left", ...Array.from({ length: 6 }, () => "right" as const)],
    style: { head: [], border: [], compact: true },
    chars: { ...Object.fromEntries(BORDERS.map((name) => [name, ""])), middle: " " },
  });
  for (const { name, found, right, inputs, unchanged, summaries, error } of rows) {
    const figures = [inputs.length, sumOf(inputs), Math.max(0, ...inputs)];
    const numbers = figures.map((value) => value.toLocaleString("en"));
    const prefix = `${Math.round(100 * unchanged)}%`;
    drawn.push([name, `${found} of ${packages}`, `${right} of 3`, ...numbers, prefix]);
    const note = (text: string) => drawn.push([{ content: `  ${text}`, colSpan: 7 }]);
    const more = sumOf(summaries).toLocaleString("en");
    if (summaries.length > 0) note(`and ${summaries.length} for summaries, ${more} tokens`);
    if (error !== undefined) note(`call ${inputs.length}: ${error}`);
  }
  return drawn.toString();
}

const SIDES = ["top", "bottom", "left", "right", "mid"];
const BORDERS = SIDES.flatMap((side) => ["", "-mid", "-left", "-right"].map((end) => side + end));
