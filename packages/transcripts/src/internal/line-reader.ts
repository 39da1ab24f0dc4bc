import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import type { ProblemItem, TranscriptItem, TranscriptReader } from "../transcript-item.ts";

/** Reads the objects of a JSON Lines file. */
interface ObjectReader {
  /** Reads one object; `number` is its line, from 1. */
  readonly read: (object: JsonObject, number: number) => readonly TranscriptItem[];
  readonly end: () => readonly TranscriptItem[];
}

/** Creates a reader that numbers lines, parses their JSON and reports damage. */
export function lineReader({ read, end }: ObjectReader): TranscriptReader {
  let number = 0;
  return {
    read: (line) => {
      number += 1;
      const { objects, problem } = readJsonLine(line);
      const items = objects.flatMap((object) => read(object, number));
      return problem === undefined ? items : [{ kind: "problem", line: number, problem }, ...items];
    },
    end,
  };
}

/** The content of a JSON line. */
interface JsonLine {
  readonly objects: readonly JsonObject[];
  readonly problem?: ProblemItem["problem"];
}

const EMPTY: JsonLine = { objects: [] };

/** Reads a line: one object, or several that a writer has joined. Other values count as damage. Linear. */
export function readJsonLine(line: string): JsonLine {
  if (line.trim() === "") return EMPTY;
  try {
    const value: JsonValue = JSON.parse(line);
    return isJsonObject(value) ? { objects: [value] } : { objects: [], problem: "damaged" };
  } catch {
    return readJoined(line);
  }
}

/** Splits joined objects by matching braces. Each piece is read once. */
function readJoined(line: string): JsonLine {
  const objects: JsonObject[] = [];
  let from = line.indexOf("{");
  let isWhole = from >= 0 && line.slice(0, from).trim() === "";
  while (from >= 0) {
    const end = endOfObject(line, from);
    const object = end === undefined ? undefined : parseObject(line.slice(from, end));
    if (end === undefined || object === undefined) return damaged(objects);
    objects.push(object);
    from = line.indexOf("{", end);
    isWhole &&= line.slice(end, from < 0 ? undefined : from).trim() === "";
  }
  return isWhole ? { objects, problem: "joined" } : damaged(objects);
}

function damaged(objects: readonly JsonObject[]): JsonLine {
  return { objects, problem: "damaged" };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const MARK = /["\\{}]/g;

/** Returns the end of the object that begins at a brace; `undefined` if it is incomplete. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let isText = false;
  MARK.lastIndex = from;
  for (let found = MARK.exec(text); found !== null; found = MARK.exec(text)) {
    const [mark] = found;
    if (mark === "\\") MARK.lastIndex += isText ? 1 : 0;
    else if (mark === '"') isText = !isText;
    else if (!isText) depth += mark === "{" ? 1 : -1;
    if (depth === 0 && !isText) return found.index + 1;
  }
  return undefined;
}
