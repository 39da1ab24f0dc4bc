import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import type { JsonObject, JsonValue } from "@agent-history/core";
import {
  objectAt,
  objectsAt,
  objectsWith,
  textIn,
} from "@agent-history/sdk-tests/servers/read-wire";

import type { ChatMessage } from "./chat-message.ts";
import type { Dialogue } from "./dialogue.ts";

/** Reads the dialogues of a folder by their source; a source that is not there is left out. */
export function readDialogues(folder: string): Readonly<Record<string, readonly Dialogue[]>> {
  const [locomo, beam] = [readLocomo(folder), readBeam(folder)];
  return {
    ...(locomo.length > 0 && { LoCoMo: locomo }),
    ...(beam.length > 0 && { BEAM: beam }),
  };
}

/** Reads the dialogues of LoCoMo. Each session begins with its date; category 5, which is adversarial, is left out. */
function readLocomo(folder: string): readonly Dialogue[] {
  const file = join(folder, "locomo", "locomo.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter(Boolean).map((line) => {
    const dialogue: JsonObject = JSON.parse(line);
    const turns = objectsAt(dialogue, "turns");
    const indexes = new Map(turns.map(({ id }, index) => [id, index]));
    const messages = turns.map((turn, index): ChatMessage => {
      const isFirst = turns[index - 1]?.["session"] !== turn["session"];
      const date = isFirst ? `[${textIn(turn["date_time"])}] ` : "";
      const caption = "caption" in turn ? ` [shares ${textIn(turn["caption"])}]` : "";
      const content = `${date}${textIn(turn["speaker"])}: ${textIn(turn["text"])}${caption}`;
      return { role: roleOf(turn), content };
    });
    const questions = objectsAt(dialogue, "qa").map(({ question, answer, category, evidence }) => {
      const ids = category === 5 || !Array.isArray(evidence) ? [] : [...new Set(evidence)];
      const known = ids.flatMap((id: JsonValue) => indexes.get(id) ?? []);
      const said = typeof answer === "number" ? `${answer}` : textIn(answer);
      return { question: textIn(question), answer: said, evidence: known };
    });
    const createdAtMs = turns.map(({ date_time: date }) =>
      Date.parse(`${textIn(date).replace(/^.* on /, "")} UTC`),
    );
    return { messages, createdAtMs, questions: questions.filter(isKnown) };
  });
}

/** Reads the chats of BEAM that a folder has, each with its questions. Those that the chat does not answer are left out. */
function readBeam(folder: string): readonly Dialogue[] {
  const files = globSync("beam/*.json.gz", { cwd: folder }).toSorted();
  return files.map((file) => {
    const recorded: JsonObject = JSON.parse(
      gunzipSync(readFileSync(join(folder, file))).toString("utf8"),
    );
    const said = objectsWith(recorded["chat"] ?? [], "content");
    const indexes = new Map(said.map(({ id }, index) => [id, index]));
    const asked = objectAt(recorded, "questions");
    const questions = Object.keys(asked).flatMap((kind) =>
      objectsAt(asked, kind).map((one) => {
        const ids = [...new Set(numbersIn(one["source_chat_ids"]))];
        const evidence = ids.flatMap((id) => indexes.get(id) ?? []);
        return { question: textIn(one["question"]), answer: answerOf(one), evidence };
      }),
    );
    const messages = said.map((one): ChatMessage => {
      // A user's text ends in a mark of the generator.
      return { role: roleOf(one), content: textIn(one["content"]).replace(/\s*->->[\d, ]*$/, "") };
    });
    return { messages, createdAtMs: timesOf(said), questions: questions.filter(isKnown) };
  });
}

function roleOf({ role }: JsonObject): "user" | "assistant" {
  return role === "user" ? "user" : "assistant";
}

function isKnown({ evidence }: { readonly evidence: readonly number[] }): boolean {
  return evidence.length > 0;
}

/** The ids of a question's evidence: a list, or lists by what they show. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function answerOf(asked: JsonObject): string {
  const { answer, ideal_answer: ideal, ideal_response: response, ideal_summary: summary } = asked;
  return textIn(answer ?? ideal ?? response ?? summary ?? "Yes.");
}

/** A day, `March-15-2024`, is of its message and of those behind it. */
function timesOf(messages: readonly JsonObject[]): readonly number[] {
  let atMs = 0;
  return messages.map(({ time_anchor: day }) => {
    const read = Date.parse(`${textIn(day).replaceAll("-", " ")} UTC`);
    atMs = Number.isNaN(read) ? atMs : read;
    return atMs;
  });
}
