import type { JsonObject } from "@agent-history/core";

import type { TranscriptItem } from "../transcript-item.ts";
import type { TranscriptReader } from "../transcript-reader.ts";
import { readJsonLine } from "./read-json-line.ts";

/** Reads one object of a file of JSON lines. */
export interface ObjectReader {
  /** `number` is that of its line, from 1. */
  readonly read: (object: JsonObject, number: number) => readonly TranscriptItem[];
  readonly end: () => readonly TranscriptItem[];
}

/** Numbers lines, reads their JSON and reports what is damaged. */
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
