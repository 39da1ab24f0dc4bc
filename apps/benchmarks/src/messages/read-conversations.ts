import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { readBeamDialogues } from "./beam-dialogues.ts";
import type { ChatMessage, ChatToolCall } from "./chat-message.ts";
import { fieldOf, listAt, textAt } from "./json-fields.ts";
import { callPoints, readRecorded } from "./read-recorded.ts";

/** A recorded conversation, and where in it a model was called. */
export interface Conversation {
  readonly source: string;
  readonly messages: readonly ChatMessage[];
  /** How many messages there were at each call. */
  readonly calls: readonly number[];
}

/** Reads every recorded conversation of a folder: chats with tools, coding agents, groups of agents, long dialogues. */
export function readConversations(folder: string): readonly Conversation[] {
  const sources: readonly (readonly [string, () => readonly (readonly ChatMessage[])[]])[] = [
    ["tau-bench and SWE-agent", () => readRecorded(folder)],
    ["LoCoMo", () => jsonLines(join(folder, "locomo/locomo.jsonl")).map(dialogueMessages)],
    ["BEAM", () => readBeamDialogues(folder).map(({ messages }) => messages)],
    [
      "Claude Code",
      () =>
        globSync("transcripts/claude-code/*.jsonl.gz", { cwd: folder })
          .toSorted()
          .map((file) => sessionMessages(unzipped(join(folder, file)))),
    ],
  ];
  const chats = sources.flatMap(([source, read]) =>
    read().map((messages) => ({
      source,
      messages,
      calls: callPoints(messages).map(({ length }) => length),
    })),
  );
  return [...chats, ...groupsOfAgents(join(folder, "who-and-when/hand-crafted.jsonl"))];
}

/** In a group each speaker speaks next, so that each message is followed by a call. */
function groupsOfAgents(file: string): readonly Conversation[] {
  return jsonLines(file).map((line) => {
    const messages = listAt(line, "messages").map((message): ChatMessage => {
      const content = textAt(message, "content");
      return textAt(message, "role") === "human"
        ? { role: "user", content }
        : { role: "assistant", content };
    });
    return { source: "groups of agents", messages, calls: messages.map((_, index) => index + 1) };
  });
}

function dialogueMessages(line: unknown): readonly ChatMessage[] {
  return listAt(line, "turns").map((turn) => {
    const role = textAt(turn, "role") === "user" ? "user" : "assistant";
    return { role, content: `${textAt(turn, "speaker")}: ${textAt(turn, "text")}` };
  });
}

/** The main line of a session, each answer's blocks together again; what was thought is left out. */
function sessionMessages(file: string): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let last = "";
  for (const line of file.split("\n").flatMap(parsed)) {
    const message = fieldOf(line, "message");
    if (fieldOf(line, "isSidechain") === true || message === undefined) continue;
    if (textAt(message, "role") === "user") messages.push(...userMessages(message));
    if (textAt(message, "role") !== "assistant") continue;
    const id = textAt(message, "id");
    const previous = messages.at(-1);
    const isSame = id === last && previous?.role === "assistant";
    const answer = answerOf(message, isSame ? previous : undefined);
    last = id;
    if (answer !== undefined)
      messages.splice(isSame ? -1 : messages.length, isSame ? 1 : 0, answer);
  }
  return messages;
}

function userMessages(message: unknown): readonly ChatMessage[] {
  const content = fieldOf(message, "content");
  if (typeof content === "string") return [{ role: "user", content }];
  return listAt(message, "content").flatMap((block): readonly ChatMessage[] => {
    const type = textAt(block, "type");
    if (type === "text") return [{ role: "user", content: textAt(block, "text") }];
    if (type !== "tool_result") return [];
    const said = fieldOf(block, "content");
    const text =
      typeof said === "string"
        ? said
        : listAt(block, "content")
            .map((part) => textAt(part, "text"))
            .join("");
    return [{ role: "tool", tool_call_id: textAt(block, "tool_use_id"), content: text }];
  });
}

function answerOf(
  message: unknown,
  before: Extract<ChatMessage, { readonly role: "assistant" }> | undefined,
): ChatMessage | undefined {
  const blocks = listAt(message, "content");
  const text = blocks
    .map((block) => (textAt(block, "type") === "text" ? textAt(block, "text") : ""))
    .join("");
  const calls = blocks.flatMap((block): readonly ChatToolCall[] => {
    if (textAt(block, "type") !== "tool_use") return [];
    const given = JSON.stringify(fieldOf(block, "input") ?? {});
    const made = { name: textAt(block, "name"), arguments: given };
    return [{ id: textAt(block, "id"), type: "function", function: made }];
  });
  if (text === "" && calls.length === 0) return undefined;
  const said = `${before?.content ?? ""}${text}`;
  const all = [...(before?.tool_calls ?? []), ...calls];
  return {
    role: "assistant",
    content: said === "" ? null : said,
    ...(all.length > 0 && { tool_calls: all }),
  };
}

function jsonLines(file: string): readonly unknown[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").flatMap(parsed) : [];
}

/** Of a recording that was broken off, or glued together, what can be read. */
function parsed(line: string): readonly unknown[] {
  try {
    return line === "" ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
}

function unzipped(file: string): string {
  return gunzipSync(readFileSync(file)).toString("utf8");
}
