import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

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

interface RecordedTurn {
  readonly id: string;
  readonly session: number;
  readonly date_time: string;
  readonly speaker: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly caption?: string;
}

interface RecordedDialogue {
  readonly id: string;
  readonly turns: readonly RecordedTurn[];
  readonly qa: readonly {
    readonly question: string;
    readonly answer: string | number;
    readonly category: number;
    readonly evidence: readonly string[];
  }[];
}

/** Reads the dialogues of LoCoMo. Each session begins with its date; category 5, which is adversarial, is left out. */
function readLocomo(folder: string): readonly Dialogue[] {
  const file = join(folder, "locomo", "locomo.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter(Boolean).map((line) => {
    const { turns, qa }: RecordedDialogue = JSON.parse(line);
    const indexes = new Map(turns.map(({ id }, index) => [id, index]));
    const messages = turns.map((turn, index): ChatMessage => {
      const isFirst = turns[index - 1]?.session !== turn.session;
      const date = isFirst ? `[${turn.date_time}] ` : "";
      const caption = turn.caption === undefined ? "" : ` [shares ${turn.caption}]`;
      return { role: turn.role, content: `${date}${turn.speaker}: ${turn.text}${caption}` };
    });
    const questions = qa.flatMap(({ question, answer, category, evidence }) => {
      const known = [...new Set(evidence)].flatMap((id) => indexes.get(id) ?? []);
      return category === 5 || known.length === 0
        ? []
        : [{ question, answer: String(answer), evidence: known }];
    });
    const createdAtMs = turns.map(({ date_time: date }) =>
      Date.parse(`${date.replace(/^.* on /, "")} UTC`),
    );
    return { messages, createdAtMs, questions };
  });
}

interface RecordedChat {
  readonly id: string;
  readonly chat: readonly { readonly turns: readonly (readonly RecordedMessage[])[] }[];
  readonly questions: Readonly<Record<string, readonly RecordedQuestion[]>>;
}

interface RecordedMessage {
  readonly id: number;
  readonly role: "user" | "assistant";
  readonly content: string;
  /** The day of this message and of those behind it: `March-15-2024`. */
  readonly time_anchor?: string;
}

interface RecordedQuestion {
  readonly question: string;
  readonly answer?: string;
  readonly ideal_answer?: string;
  readonly ideal_response?: string;
  readonly ideal_summary?: string;
  /** Missing where the chat does not answer it. */
  readonly source_chat_ids?: unknown;
}

/** Reads the chats of BEAM that a folder has, each with its questions. Those that the chat does not answer are left out. */
function readBeam(folder: string): readonly Dialogue[] {
  return globSync("beam/*.json.gz", { cwd: folder })
    .toSorted()
    .map((file) => {
      const { chat, questions }: RecordedChat = JSON.parse(
        gunzipSync(readFileSync(join(folder, file))).toString("utf8"),
      );
      const recorded = chat.flatMap(({ turns }) => turns.flat());
      const indexes = new Map(recorded.map((message, index) => [message.id, index]));
      const asked = Object.values(questions).flatMap((ofKind) =>
        ofKind.map((one) => {
          const ids = numbersIn(one.source_chat_ids);
          const evidence = [...new Set(ids)].flatMap((index) => indexes.get(index) ?? []);
          return { question: one.question, answer: answerOf(one), evidence };
        }),
      );
      return {
        messages: recorded.map(messageOf),
        createdAtMs: timesOf(recorded),
        questions: asked.filter(({ evidence }) => evidence.length > 0),
      };
    });
}

/** A user's text ends in a mark of the generator. */
function messageOf({ role, content }: RecordedMessage): ChatMessage {
  return { role, content: content.replace(/\s*->->[\d, ]*$/, "") };
}

/** The ids of a question's evidence: a list, or lists by what they show. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function answerOf(asked: RecordedQuestion): string {
  const { answer, ideal_answer: ideal, ideal_response: response, ideal_summary: summary } = asked;
  return answer ?? ideal ?? response ?? summary ?? "Yes.";
}

function timesOf(messages: readonly RecordedMessage[]): readonly number[] {
  let atMs = 0;
  return messages.map(({ time_anchor: day }) => {
    const read = Date.parse(`${(day ?? "").replaceAll("-", " ")} UTC`);
    atMs = Number.isNaN(read) ? atMs : read;
    return atMs;
  });
}
