import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

import type { JsonObject } from "@agent-history/core";
import { isJsonObject, parseJson } from "@agent-history/format-kit";

/** One recorded session of a coding agent: what it sent and got, in its provider's format. */
export interface Recording {
  readonly name: string;
  readonly format: "anthropic" | "openai";
  readonly messages: readonly JsonObject[];
  /** Lines that are no JSON. */
  readonly unreadable: number;
}

/** Reads the sessions of `claude-code` and `codex` in a folder, `*.jsonl` or `*.jsonl.gz`. */
export function* readRecordings(folder: string): Generator<Recording> {
  for (const format of ["anthropic", "openai"] as const) {
    const agent = format === "anthropic" ? "claude-code" : "codex";
    for (const file of globSync(`${agent}/*.{jsonl,jsonl.gz}`, { cwd: folder }).toSorted()) {
      const bytes = readFileSync(join(folder, file));
      const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      const read = lines.map(parseJson);
      const messages = read
        .filter(isJsonObject)
        .flatMap(format === "anthropic" ? ofClaude : ofCodex);
      const unreadable = read.filter((line) => line === undefined).length;
      yield { name: basename(file), format, messages, unreadable };
    }
  }
}

/** A line of Claude Code holds one message of Anthropic's, or one block of it. */
function ofClaude({ type, message }: JsonObject): readonly JsonObject[] {
  return (type === "user" || type === "assistant") && isJsonObject(message) ? [message] : [];
}

/** A line of Codex holds one item of the Responses API. */
function ofCodex({ type, payload }: JsonObject): readonly JsonObject[] {
  return type === "response_item" && isJsonObject(payload) ? [payload] : [];
}
