import { describe, expect, it } from "vitest";

import { isProven, proveMessage, sameProof } from "./message-proof.ts";

const message = (): Record<string, unknown> => ({
  role: "user",
  content: [{ type: "text", text: "Hi." }, null, undefined, true, 1.5],
  at: new Date(7),
  url: new URL("https://example.com/a"),
  bytes: new Uint8Array([1, 2, 3]),
  buffer: new Uint8Array([4, 5]).buffer,
  format: (text: string) => text,
});

describe("isProven", () => {
  it("holds of a message that nobody changed", () => {
    const one = message();

    expect(isProven(one, proveMessage(one) ?? [])).toBe(true);
  });

  it.each<readonly [string, (one: ReturnType<typeof message>) => unknown]>([
    ["a text", (one) => (one["role"] = "tool")],
    ["a key", (one) => (one["name"] = "a")],
    ["a field less", (one) => delete one["role"]],
    ["a field of undefined", (one) => (one["name"] = undefined)],
    ["an item", (one) => (one["content"] = [{ type: "text", text: "Ho." }])],
    ["a list for a text", (one) => (one["content"] = [])],
    ["an instant", ({ at }) => at instanceof Date && at.setTime(8)],
    ["an address", ({ url }) => url instanceof URL && (url.hash = "#b")],
    ["a byte", ({ bytes }) => bytes instanceof Uint8Array && bytes.set([9], 1)],
    [
      "a buffer's byte",
      ({ buffer }) => buffer instanceof ArrayBuffer && new Uint8Array(buffer).set([9]),
    ],
    ["bytes of another class", (one) => (one["bytes"] = Buffer.from([1, 2, 3]))],
    ["a function", (one) => (one["format"] = () => "")],
    ["a way to write itself", (one) => (one["toJSON"] = () => "")],
  ])("does not hold after %s was changed", (_, change) => {
    const one = message();
    const proof = proveMessage(one) ?? [];
    change(one);

    expect(isProven(one, proof)).toBe(false);
  });

  it("does not hold where fields stand in another order", () => {
    const proof = proveMessage({ role: "user", content: "Hi." }) ?? [];

    expect(isProven({ content: "Hi.", role: "user" }, proof)).toBe(false);
  });
});

describe("proveMessage", () => {
  it("cannot tell what an object says that writes itself, a cycle, or a field that throws", () => {
    const cycle: { inner?: unknown } = {};
    cycle.inner = { cycle };
    const throwing = {
      get content(): string {
        throw new Error("Not to be read.");
      },
    };

    expect(proveMessage({ at: { toJSON: () => "now" } })).toBeUndefined();
    expect(proveMessage(cycle)).toBeUndefined();
    expect(proveMessage(throwing)).toBeUndefined();
  });

  it("gives the same for two objects that say the same, and only then", () => {
    const { format: _, ...said } = message();
    const proof = proveMessage(structuredClone({ ...said, url: 1 })) ?? [];

    expect(sameProof(proof, proveMessage(structuredClone({ ...said, url: 1 })) ?? [])).toBe(true);
    expect(sameProof(proof, proveMessage({ ...said, url: 2 }) ?? [])).toBe(false);
    expect(sameProof(proveMessage({ a: ["b"] }) ?? [], proveMessage({ a: "b" }) ?? [])).toBe(false);
  });
});
