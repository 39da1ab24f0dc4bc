import { ENTRY_TYPES } from "@agent-history/core";
import type { EntryType, EntryTypeName } from "@agent-history/core";

import { countAsSigned, countAsText, countsOfText, signedAsCount } from "./numbers-as-text.ts";
import type { ReferenceRow } from "./store-program.ts";

/** What the index knows of an entry: a dozen bytes instead of its text. */
export interface Reference extends ReferenceFlags {
  readonly position: number;
  /** {@link OWN_TYPE} for every type of the user's own: which one, the log says. */
  readonly type: EntryType | typeof OWN_TYPE;
  /** The number of its turn, in a log with user messages. */
  readonly turn: number;
  /** The same in a log without; only what came before the first user message has it. */
  readonly plainTurn: number | undefined;
  /** The position of the task that it was written under. */
  readonly task: number | undefined;
  /** Which phase of its turn, in the order they began, from 1; 0 for none. Unknown (0) for a late entry. */
  readonly phase: number;
  /** The same in a log without user messages. */
  readonly plainPhase: number;
  /** UTF-8 bytes of its JSON. */
  readonly bytes: number;
  /** The position of the last entry of the stored row that it stands in. */
  readonly rowEnd: number;
  /** The position of the action that an observation answers, of the one whose call made an action's calls, or of the message that an attachment belongs to. */
  readonly partner: number | undefined;
}

/** What is so or not so of an entry. */
export interface ReferenceFlags {
  /** It has a `turnId`. */
  readonly isNamed: boolean;
  /** It has a `taskId`. */
  readonly hasTask: boolean;
  /** The agent whose stream this is wrote it. */
  readonly isOwn: boolean;
  /** Nobody wrote it. */
  readonly isUnowned: boolean;
  readonly isPinned: boolean;
  /** It belongs to a turn that another had followed already. */
  readonly isLate: boolean;
  /** The agent whose stream this is gave the task that it was written under. */
  readonly isGiven: boolean;
}

/** Stands for any type of the user's own. */
export const OWN_TYPE = "own";

/** Gives what a reference says of a type. */
export function typeInIndex(type: EntryTypeName): Reference["type"] {
  return ENTRY_TYPES.find((one) => one === type) ?? OWN_TYPE;
}

/** How many references stand in a row at most: a page of rows has a bounded size, whatever batches were like. */
export const ROW_LENGTH = 16;

/** Packs references of one stream, in order, into rows. */
export function packReferences(references: readonly Reference[]): readonly ReferenceRow[] {
  const rows: ReferenceRow[] = [];
  for (let start = 0; start < references.length; start += ROW_LENGTH) {
    const ofRow = references.slice(start, start + ROW_LENGTH);
    rows.push({ key: (ofRow.at(-1)?.position ?? 0) + 1, references: rowAsText(ofRow) });
  }
  return rows;
}

/** Unpacks rows of one stream, the oldest first. */
export function unpackReferences(rows: readonly ReferenceRow[]): readonly Reference[] {
  return rows.flatMap((row) => referencesOfRow(countsOfText(row.references)));
}

function rowAsText(references: readonly Reference[]): string {
  let text = "";
  let position = 0;
  let turn = 0;
  for (const one of references) {
    text += countAsText(codeOf(one)) + countAsText(one.position - position);
    text += countAsText(signedAsCount(one.turn - turn));
    if (one.plainTurn !== undefined)
      text += countAsText(one.plainTurn) + countAsText(one.plainPhase);
    text += countAsText(one.task === undefined ? 0 : one.position - one.task + 1);
    text += countAsText(one.phase) + countAsText(one.bytes);
    if (one.rowEnd > one.position) text += countAsText(one.rowEnd - one.position);
    if (hasPartner(one.type)) {
      text += countAsText(one.partner === undefined ? 0 : one.position - one.partner);
    }
    position = one.position;
    turn = one.turn;
  }
  return text;
}

function referencesOfRow(counts: readonly number[]): readonly Reference[] {
  const references: Reference[] = [];
  let index = 0;
  let position = 0;
  let turn = 0;
  const next = (): number => {
    index += 1;
    return counts[index - 1] ?? 0;
  };
  while (index < counts.length) {
    const code = next();
    const type = hasBit(code, OPAQUE_BIT) ? "opaque" : TYPE_CODES[code % 16];
    if (type === undefined) break;
    position += next();
    turn += countAsSigned(next());
    const isPlain = hasBit(code, PLAIN_BIT);
    const plainTurn = isPlain ? next() : undefined;
    const plainPhase = isPlain ? next() : 0;
    const task = next();
    const phase = next();
    const bytes = next();
    const rowEnd = hasBit(code, ROW_BIT) ? position + next() : position;
    const partner = hasPartner(type) ? next() : 0;
    references.push({
      ...flagsOf(code),
      position,
      type,
      turn,
      plainTurn,
      phase,
      plainPhase,
      bytes,
      rowEnd,
      task: task === 0 ? undefined : position - task + 1,
      partner: partner === 0 ? undefined : position - partner,
    });
  }
  return references;
}

function hasPartner(type: Reference["type"]): boolean {
  return type === "observation" || type === "action" || type === "attachment";
}

function codeOf(reference: Reference): number {
  return (
    TYPE_CODES.indexOf(reference.type === "opaque" ? OWN_TYPE : reference.type) +
    (reference.isNamed ? 16 : 0) +
    (reference.hasTask ? 32 : 0) +
    (reference.isOwn ? 64 : 0) +
    (reference.isUnowned ? 128 : 0) +
    (reference.isPinned ? 256 : 0) +
    (reference.isLate ? 512 : 0) +
    (reference.isGiven ? 1024 : 0) +
    (reference.plainTurn === undefined ? 0 : PLAIN_BIT) +
    (reference.rowEnd > reference.position ? ROW_BIT : 0) +
    (reference.type === "opaque" ? OPAQUE_BIT : 0)
  );
}

function flagsOf(code: number): ReferenceFlags {
  return {
    isNamed: hasBit(code, 16),
    hasTask: hasBit(code, 32),
    isOwn: hasBit(code, 64),
    isUnowned: hasBit(code, 128),
    isPinned: hasBit(code, 256),
    isLate: hasBit(code, 512),
    isGiven: hasBit(code, 1024),
  };
}

function hasBit(code: number, bit: number): boolean {
  return Math.floor(code / bit) % 2 === 1;
}

const PLAIN_BIT = 2048;
const ROW_BIT = 4096;
/** The codes of types are all taken: it stands beside that of a type of the user's own. */
const OPAQUE_BIT = 8192;

/** By code, as rows that were written have it: add at the end, never change. */
const TYPE_CODES: readonly Reference["type"][] = [
  "system_message",
  "user_message",
  "assistant_message",
  "task",
  "action",
  "observation",
  "error",
  "global_observation",
  "synthesis",
  "final",
  "strategic_plan",
  "delegation",
  "summary",
  "memory",
  "attachment",
  OWN_TYPE,
];
