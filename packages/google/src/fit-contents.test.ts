import { isHistoryError } from "@agent-history/core";
import { createReducer, fitToWindow } from "@agent-history/reducer";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { contentPage } from "../test-messages/content-page.ts";
import { fromContents, toContents } from "./contents.ts";
import { fitContents, fitContentsAsync } from "./fit-contents.ts";
import type { FitContentsSyncOptions } from "./fit-contents.ts";
import { checkContents } from "./google-rules.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

const exact = tiktokenCounter({ encoding: "o200k_base" });
const counter = estimatingCounter({ family: "gemini", counter: exact });
const options: FitContentsSyncOptions = {
  reducer: { name: "own", reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }) },
  window: { contextTokens: 100_000 },
};

const asked = (text: string) => ({ role: "user", parts: [{ text }] });
const said = (...parts: readonly object[]) => ({ role: "model", parts });
const call = { functionCall: { name: "find", args: { to: "Rome" } }, thoughtSignature: "UQ==" };
const response = { functionResponse: { name: "find", response: { output: "Two." } } };

describe("fitContents", () => {
  it("sends what is valid as it came, without a repair", () => {
    const contents = [...contentPage, asked("And now?")];
    const fitted = fitContents(contents, options);

    expect(fitted.contents).toEqual(contents);
    expect(fitted.plan.repairs).toEqual([]);
    expect(checkContents(contents)).toEqual([]);
  });

  it("puts the responses of one step into one content", () => {
    const { contents, plan } = fitContents(
      [
        asked("To Rome?"),
        said(call, { functionCall: { name: "book", args: {} } }),
        { role: "user", parts: [response] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "book", response: { output: "Done." } } }],
        },
      ],
      options,
    );
    expect(contents.map(({ parts }) => parts.length)).toEqual([1, 2, 2]);
    expect(plan.repairs.map(({ rule }) => rule)).toEqual(["results-apart"]);
  });

  it("puts what the model said just before its calls into one content with them", () => {
    const given = [
      asked("To Rome?"),
      said({ text: "I look." }),
      said(call),
      { role: "user", parts: [response] },
    ];
    const { contents } = fitContents(given, options);

    expect(contents[1]).toEqual(said({ text: "I look." }, call));
    expect(contents).toHaveLength(3);
  });

  it("replaces a lost signature of the first call, for models that need one", () => {
    const { thoughtSignature: _, ...unsigned } = call;
    const given = [
      asked("To Rome?"),
      said(unsigned, unsigned),
      { role: "user", parts: [response, response] },
    ];

    expect(fitContents(given, options).contents[1]?.parts).toMatchObject([
      { thoughtSignature: "skip_thought_signature_validator" },
      unsigned,
    ]);
    expect(fitContents(given, { ...options, model: "gemini-2.5-pro" }).contents).toEqual(given);
  });

  it.each(["", null, 7])("sends no id %j, and a response object, with its words", (id) => {
    const { functionCall, ...signed } = call;
    const answer = { name: "find", id, response: null };
    const given = [
      asked("To Rome?"),
      said({ functionCall: { ...functionCall, id }, ...signed }),
      { role: "user", parts: [{ functionResponse: answer }] },
    ];
    const sent = { name: "find", response: { output: "null" } };

    expect(toContents(fromContents(given))).toEqual(given);
    expect(fitContents(given, options).contents).toEqual([
      asked("To Rome?"),
      said(call),
      { role: "user", parts: [{ functionResponse: sent }] },
    ]);
  });

  it("keeps the words of a user's thought that ends with half a surrogate pair", () => {
    const thought = { role: "user", parts: [{ text: "To Rome\ud83d", thought: true }] };

    expect(fitContents([thought], options).contents).toEqual([asked("[reasoning] To Rome\ufffd")]);
  });

  it("refuses what is broken with `repair: throw`", () => {
    const given = [asked("To Rome?"), said(call)];
    expect(() => fitContents(given, { ...options, repair: "throw" })).toThrow("pairing");
  });

  it("counts instructions and tools, and says where there is no room", async () => {
    const tools = [{ functionDeclarations: [{ name: "find", description: "d ".repeat(200) }] }];
    const small = { reducer: createReducer({ counter }), window: { contextTokens: 150 } };
    const given = [asked("To Rome, please.")];

    expect((await fitContentsAsync(given, small)).contents).toEqual(given);
    const failure = await fitContentsAsync(given, { ...small, tools }).catch(
      (error: unknown) => error,
    );
    expect(isHistoryError(failure, "WINDOW_TOO_SMALL")).toBe(true);
  });
});

describe("toToolDefinitions", () => {
  it("reads declared functions and Google's own tools, and refuses another shape", () => {
    expect(
      toToolDefinitions([{ functionDeclarations: [{ name: "find" }] }, { googleSearch: {} }]),
    ).toEqual([{ name: "find" }, { name: "googleSearch" }]);
    expect(() => toToolDefinitions([{ functionDeclarations: [{}] }])).toThrow(
      "functionDeclarations[0]",
    );
  });
});
