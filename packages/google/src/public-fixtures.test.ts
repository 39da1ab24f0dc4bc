import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, parseJson } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import { fromContents, toContents } from "./contents.ts";
import { fromInteractionSteps, toInteractionSteps } from "./interaction-steps.ts";

/** Folders with JSON, or lines of it, that hold answers and requests of Gemini: checkouts of public repositories, joined by `:`. */
const folders = (process.env["GEMINI_FIXTURES"] ?? "").split(":").filter(Boolean);

describe.skipIf(folders.length === 0)("recorded contents and steps of Gemini", () => {
  it("come back as they were", () => {
    const conversations = folders.flatMap(filesIn).flatMap(valuesIn).flatMap(conversationsIn);
    const contents = conversations.filter((one) => !one.some(isStep));
    const steps = conversations.filter((one) => one.some(isStep));

    expect(conversations.length).toBeGreaterThan(0);
    for (const one of contents) expect(toContents(fromContents(one))).toEqual(one);
    for (const one of steps) expect(toInteractionSteps(fromInteractionSteps(one))).toEqual(one);
    // oxlint-disable-next-line no-console -- what was measured
    console.log(`${contents.length} lists of contents, ${steps.length} lists of steps`);
  });
});

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}

function valuesIn(file: string): readonly JsonValue[] {
  const text = readFileSync(file, "utf8");
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  return text.split("\n").flatMap((line) => parseJson(line.replace(/^data: /u, "")) ?? []);
}

/** Finds every list of contents or steps in a value, and every content alone. */
function conversationsIn(value: JsonValue): readonly (readonly JsonObject[])[] {
  if (typeof value !== "object" || value === null) return [];
  if (!isJsonObject(value)) {
    const messages = value.filter((one: JsonValue) => isJsonObject(one));
    const isWhole = messages.length === value.length && messages.length > 0;
    if (isWhole && (messages.every(isContent) || messages.every(isStep))) return [messages];
    return value.flatMap(conversationsIn);
  }
  return isContent(value) ? [[value]] : Object.values(value).flatMap(conversationsIn);
}

function isContent({ role, parts }: JsonObject): boolean {
  return (role === "user" || role === "model" || role === "function") && Array.isArray(parts);
}

const STEPS = new Set(["user_input", "model_output", "thought"]);

function isStep({ type, text }: JsonObject): boolean {
  const name = typeof type === "string" ? type : "";
  return text === undefined && (STEPS.has(name) || /^[a-z_]+_(?:call|result)$/u.test(name));
}
