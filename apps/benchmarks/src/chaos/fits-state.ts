import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** What a run knows after each share of it: enough to go on where it was stopped. */
export interface FitsState {
  readonly seed: number;
  /** How many histories make one share. */
  readonly size: number;
  /** The numbers of the shares that are done. */
  readonly done: readonly number[];
  readonly histories: number;
  readonly calls: number;
  readonly found: readonly FoundRule[];
}

/** A rule that was broken: in how many histories, and the first few of them. */
export interface FoundRule {
  readonly rule: string;
  readonly histories: number;
  /** Give one to `--replay`. */
  readonly seeds: readonly number[];
}

const MOST_SEEDS = 5;

/** Reads what an earlier run left. A run with another seed begins anew. */
export function readState(file: string, seed: number, size: number): FitsState {
  const empty: FitsState = { seed, size, done: [], histories: 0, calls: 0, found: [] };
  if (!existsSync(file)) return empty;
  const state: FitsState = JSON.parse(readFileSync(file, "utf8"));
  return state.seed === seed && state.size === size ? state : empty;
}

/** Writes beside the file first: a run may be stopped at any moment. */
export function writeState(file: string, state: FitsState): void {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

/** Adds one share's findings to those before. */
export function addFound(
  before: readonly FoundRule[],
  added: readonly FoundRule[],
): readonly FoundRule[] {
  const rules = new Map(before.map((found) => [found.rule, found]));
  for (const { rule, histories, seeds } of added) {
    const known = rules.get(rule) ?? { rule, histories: 0, seeds: [] };
    rules.set(rule, {
      rule,
      histories: known.histories + histories,
      seeds: [...known.seeds, ...seeds].slice(0, MOST_SEEDS),
    });
  }
  return [...rules.values()];
}
