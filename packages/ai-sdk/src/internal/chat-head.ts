import { HistoryError } from "@agent-history/core";
import type { HistoryStore, JsonValue } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";

/** One way that a chat went on. */
export interface ChatBranch {
  /** Its name: empty for the first. */
  readonly branch: string;
  /** The branch that it left. Missing for the first. */
  readonly from?: string | undefined;
  /** The message of that branch that it replaced first. Missing for the first. */
  readonly replaced?: string | undefined;
}

/** Which branch of a chat is the current one. */
export interface ChatHead {
  readonly branch: string;
  readonly branches: readonly ChatBranch[];
  /** Of the stored state. 0: none was stored. */
  readonly revision: number;
}

const KEY = "ai-sdk/chat";

/** Returns the thread that a branch of a chat is kept in. */
export function threadOf(chatId: string, branch: string): string {
  return branch === "" ? chatId : `${chatId}/${branch}`;
}

/** Reads the head of a chat. One that never branched has none. */
export async function readHead(
  store: HistoryStore,
  chatId: string,
  signal: AbortSignal | undefined,
): Promise<ChatHead> {
  const state = await store.getState(chatId, KEY, signal && { signal });
  const { branch, branches } = isJsonObject(state?.value) ? state.value : {};
  const others = Array.isArray(branches) ? branches.flatMap(readBranch) : [];
  return {
    branch: textOf(branch) ?? "",
    branches: [{ branch: "" }, ...others],
    revision: state?.revision ?? 0,
  };
}

/** Moves the head. @throws `HistoryError` with code `VERSION_CONFLICT` if it was moved since it was read. */
export async function writeHead(
  store: HistoryStore,
  chatId: string,
  head: ChatHead,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { branch, branches, revision: expectedRevision } = head;
  const others = branches.filter((one) => one.branch !== "");
  const value = {
    branch,
    branches: others.map(({ branch: name, from, replaced }) => [name, from ?? "", replaced ?? ""]),
  };
  const options = { expectedRevision, ...(signal && { signal }) };
  const { revision } = await store.setState(chatId, KEY, value, options);
  return revision;
}

/** @throws `HistoryError` with code `NOT_FOUND` if the chat has no such branch. */
export function requireBranch({ branches }: ChatHead, branch: string): void {
  if (branches.some((one) => one.branch === branch)) return;
  throw new HistoryError("Expected `branch` to be one of the chat's, as `branches` lists them.", {
    code: "NOT_FOUND",
    details: { option: "branch" },
  });
}

function readBranch(stored: JsonValue): readonly ChatBranch[] {
  if (!Array.isArray(stored)) return [];
  const [branch, from, replaced] = stored;
  const name = textOf(branch);
  return name === undefined
    ? []
    : [{ branch: name, from: textOf(from), replaced: textOf(replaced) }];
}
