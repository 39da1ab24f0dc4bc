/**
 * Makes what no entry and no message should be, and yet may stand among them: primitives, cyclic and very deep values, fields that
 * throw when they are read, proxies that refuse everything. New objects at each call.
 */
function strangeValues(): readonly unknown[] {
  return [
    null,
    undefined,
    true,
    0,
    Number.NaN,
    -1.5,
    7n,
    "",
    "text",
    Symbol("symbol"),
    () => "called",
    [],
    [null],
    Array(1),
    throwingList(),
    {},
    Object.create(null),
    { toString: (): never => refuse() },
    new Date(Number.NaN),
    new Map([["type", "user_message"]]),
    cyclic(),
    nested((inner) => [inner]),
    nested((inner) => ({ content: inner })),
    throwing(),
    refusing(),
    revoked(),
  ];
}

/** Deeper than any call stack. */
const DEPTH = 200_000;

function nested(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "core";
  for (let level = 0; level < DEPTH; level++) value = wrap(value);
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { type: "user_message", role: "user" };
  value["content"] = [value];
  value["self"] = value;
  return value;
}

function refuse(): never {
  throw new Error("This cannot be read.");
}

function throwingList(): unknown {
  return Object.defineProperty([1, 2], 0, { enumerable: true, get: refuse });
}

function throwing(): unknown {
  return Object.defineProperties(
    { type: "user_message", role: "user", id: "thrown" },
    { content: { enumerable: true, get: refuse }, toJSON: { enumerable: true, get: refuse } },
  );
}

function refusing(): unknown {
  return new Proxy(
    {},
    {
      get: refuse,
      has: refuse,
      ownKeys: refuse,
      getPrototypeOf: refuse,
      getOwnPropertyDescriptor: refuse,
    },
  );
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Replaces an entry, each of its fields and each item of its lists by malformed values. */
export function strangeEntries<Sample extends object>(
  samples: readonly Sample[],
): readonly Sample[] {
  const values = strangeValues();
  const strange: readonly unknown[] = [
    ...values,
    ...samples.flatMap((sample) =>
      Object.entries(sample).flatMap(([key, field]: [string, unknown]) =>
        values.flatMap((value) => [
          { ...sample, [key]: value },
          ...inside(field, value).map((changed) => ({ ...sample, [key]: changed })),
        ]),
      ),
    ),
  ];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid is the point
  return strange as readonly Sample[];
}

function inside(field: unknown, value: unknown): readonly unknown[] {
  if (typeof field !== "object" || field === null) return [];
  if (!Array.isArray(field)) {
    return Object.keys(field).map((key) => ({ ...field, [key]: value }));
  }
  const [first]: unknown[] = field;
  return [[...field, value], ...inside(first, value).map((changed) => [changed])];
}
