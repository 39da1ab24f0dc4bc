import { describe, expect, it } from "vitest";

import { fromMessages, toMessages } from "./messages.ts";

/** A message of `@langchain/core` 0.3: its type is a method. */
class OlderMessage {
  readonly lc_serializable: boolean = true;
  readonly content: string;
  readonly #type: string;

  constructor(fields: { readonly content: string; readonly type?: string }) {
    this.content = fields.content;
    this.#type = fields.type ?? "human";
  }

  getType(): string {
    return this.#type;
  }
}

describe("fromMessages", () => {
  it("reads the types of messages of @langchain/core 0.3", () => {
    const messages = ["system", "human", "ai"].map(
      (type) => new OlderMessage({ content: `said by ${type}`, type }),
    );

    const entries = fromMessages(messages);

    expect(entries.map(({ type, content }) => [type, content])).toEqual([
      ["system_message", "said by system"],
      ["user_message", "said by human"],
      ["assistant_message", "said by ai"],
    ]);
    expect(toMessages(entries)).toEqual(messages);
  });
});
