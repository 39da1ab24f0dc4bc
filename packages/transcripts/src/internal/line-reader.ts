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

/** Reads a line: one object, or several that a writer has joined. Other values count as damage. Linear. */
export function readJsonLine(line: string): JsonLine {
  if (line.trim() === "") return { objects: [] };
  const whole = parsed(line);
  if (whole === undefined) return readJoined(line);
  return isJsonObject(whole) ? { objects: [whole] } : { objects: [], problem: "damaged" };
}

/** Splits joined objects by matching braces outside of texts. Each piece is parsed once. */
function readJoined(line: string): JsonLine {
  const objects: JsonObject[] = [];
  let [depth, from, end] = [0, 0, 0];
  let isText = false;
  let between = "";
  for (const { 0: mark, index } of line.matchAll(/\\[^{}]|["{}]/g)) {
    // Between objects, only the next one counts.
    if (depth === 0 && mark !== "{") continue;
    if (mark === '"') isText = !isText;
    if (isText || (mark !== "{" && mark !== "}")) continue;
    if (depth === 0) from = index;
    depth += mark === "{" ? 1 : -1;
    if (depth !== 0) continue;
    const object = parsed(line.slice(from, index + 1));
    if (!isJsonObject(object)) break;
    objects.push(object);
    between += line.slice(end, from);
    end = index + 1;
  }
  const isWhole = (between + line.slice(end)).trim() === "";
  return { objects, problem: isWhole ? "joined" : "damaged" };
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
