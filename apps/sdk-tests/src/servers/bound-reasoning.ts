import { createHash } from "node:crypto";

import type { JsonValue } from "@agent-history/core";

import { isObject } from "./read-wire.ts";

/** A block of reasoning that a request sends back, and what the provider makes of it. */
export interface JudgedThought {
  /** Where it stands in the request: `messages.1.content.0`. */
  readonly path: string;
  readonly text: string;
  /** `valid`: the model reads it. `dropped`: it is left out without an error. `allowed`: it failed a check and is read all the same. `refused`: the request is. */
  readonly fate: "valid" | "dropped" | "allowed" | "refused";
  /** The reason as the provider names it; missing where it is valid. */
  readonly reason?: string;
  /** The check failed for want of the thinking that stood before it. */
  readonly isGap?: true;
}

/** What a signature or an encrypted item remembers. The provider encrypts it; here it can be read. */
export interface Seal {
  /** Hash of the text. */
  readonly text: string;
  readonly model: string;
  readonly organization: string;
  /** Hash of all that stood before it; missing where the model records none. */
  readonly prefix?: string;
  /** Hashes of the signatures before it: of the last that the model read, and of the last that was sent. Empty: none. */
  readonly before?: readonly string[];
}

/** Writes a seal as a signature. */
export function sealed(seal: Seal): string {
  return Buffer.from(JSON.stringify(seal)).toString("base64");
}

/** Reads a signature of this server; any other text has none. */
export function sealOf(signature: string): Seal | undefined {
  try {
    const seal: Partial<Seal> = JSON.parse(Buffer.from(signature, "base64").toString());
    const { text, model, organization } = seal;
    if (text === undefined || model === undefined || organization === undefined) return undefined;
    return { ...seal, text, model, organization };
  } catch {
    return undefined;
  }
}

/** Hashes texts in order. */
export function hash(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64url").slice(0, 22);
}

/** Writes what a check compares: without marks for the cache. */
export function comparable(value: JsonValue | undefined): string {
  return JSON.stringify(withoutMarks(value ?? ""));
}

/** Leaves out marks for the cache, however deep. */
export function withoutMarks(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (!isObject(value)) return value.map(withoutMarks);
  const { cache_control: _, ...fields } = value;
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [key, withoutMarks(field)]),
  );
}

/** Reads the version in the name of a model; an unknown name has none. */
export function versionIn(model: string, family: RegExp): number | undefined {
  const [, major, minor = "0"] = family.exec(model) ?? [];
  return major === undefined ? undefined : Number(major) + Number(minor) / 10;
}
