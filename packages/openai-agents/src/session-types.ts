/** A change that is made once, however often it is asked for. */
export interface SessionTransactionArgs {
  /** Stays the same where the transaction is tried again. */
  readonly operationId: string;
  readonly transaction:
    | { readonly type: "append_items"; readonly items: readonly object[] }
    | {
        readonly type: "replace_suffix";
        /** What the session must end with. */
        readonly expectedSuffix: readonly object[];
        readonly replacement: readonly object[];
      };
}

/** A call whose arguments were changed, by a person for example. */
export interface SessionMutation {
  readonly type: "replace_function_call";
  readonly callId: string;
  /** Stands instead of the first call of this id; others of this id go. */
  readonly replacement: object;
}

/** A session of the OpenAI Agents SDK. Items are its `AgentInputItem`s: messages, calls, results, reasoning; they come back as they are. Pass it as `session` of `run()`. */
export interface HistorySession {
  readonly acceptsRunContext: true;
  getSessionId(): Promise<string>;
  /** The items, or the newest `limit` of them, oldest first. */
  getItems<Item extends object>(limit?: number): Promise<Item[]>;
  addItems(items: readonly object[]): Promise<void>;
  popItem<Item extends object>(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
  applyHistoryTransaction(args: SessionTransactionArgs): Promise<void>;
  applyHistoryMutations(args: { readonly mutations: readonly SessionMutation[] }): Promise<void>;
  /** Replaces all items by a compaction and what it kept. */
  replaceHistoryWithCompaction(items: readonly object[]): Promise<void>;
}
