import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import type { ChatMessage } from "./chat-message.ts";
import type { Dialogue } from "./dialogue.ts";

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
export function readBeamDialogues(folder: string): readonly Dialogue[] {
  return globSync("beam/*.json.gz", { cwd: folder })
    .toSorted()
    .map((file) => {
      const { id, chat, questions }: RecordedChat = JSON.parse(
        gunzipSync(readFileSync(join(folder, file))).toString("utf8"),
      );
      const recorded = chat.flatMap(({ turns }) => turns.flat());
      const indexes = new Map(recorded.map((message, index) => [message.id, index]));
      const asked = Object.entries(questions).flatMap(([kind, ofKind]) =>
        ofKind.map((one) => {
          const ids = numbersIn(one.source_chat_ids);
          const evidence = [...new Set(ids)].flatMap((index) => indexes.get(index) ?? []);
          return { kind, question: one.question, answer: answerOf(one), evidence };
        }),
      );
      return {
        name: `BEAM ${id}`,
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
