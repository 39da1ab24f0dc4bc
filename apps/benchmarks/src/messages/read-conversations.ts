import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { repairHistory, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { toChatMessages } from "@agent-history/openai";
import { claudeCodeReader, collectTranscript } from "@agent-history/transcripts";

import { readBeamDialogues } from "./beam-dialogues.ts";
import type { ChatMessage } from "./chat-message.ts";
import { listAt, textAt } from "./json-fields.ts";
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

/** The history of a session as its agent ended with it, summaries as messages of its user; what was thought is left out. */
function sessionMessages(file: string): readonly ChatMessage[] {
  const reader = claudeCodeReader();
  const items = file.split("\n").flatMap(reader.read);
  const { entries } = collectTranscript([...items, ...reader.end()]);
  const shown = repairHistory(entries.map(asShown)).entries;
  return JSON.parse(JSON.stringify(toChatMessages(shown)));
}

function asShown(entry: HistoryEntry): HistoryEntry {
  if (entry.type === "summary") return userMessage({ content: entry.content });
  if (!("content" in entry) || typeof entry.content !== "object") return entry;
  return { ...entry, content: entry.content.filter(({ type }) => type !== "reasoning") };
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
