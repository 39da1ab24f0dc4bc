/** A call on one value that is written by comparing its revision, as its caller saw it. Moments are numbers that rise. */
export interface RegisterCall {
  readonly begunAt: number;
  /** `Infinity` where nobody knows whether it was done: it may be done at any later moment, or never. */
  readonly endedAt: number;
  readonly outcome: RegisterOutcome;
}

/** What a caller was told. */
export type RegisterOutcome =
  | { readonly kind: "read"; readonly revision: number; readonly value: string }
  | { readonly kind: "written"; readonly expected: number; readonly value: string }
  | { readonly kind: "refused"; readonly expected: number }
  | { readonly kind: "unknown"; readonly expected: number; readonly value: string };

interface Register {
  readonly revision: number;
  readonly value: string;
}

/** What a value is before anybody wrote it. */
const UNWRITTEN: Register = { revision: 0, value: "" };

/**
 * Tells whether calls can be put in one order in which each took effect at one moment between its beginning and its end, and each saw what those
 * before it left. The search of Wing and Gong (1993), which remembers what it has tried.
 */
export function isLinearizable(calls: readonly RegisterCall[]): boolean {
  const tried = new Set<string>();

  function isPlaced(open: readonly RegisterCall[], register: Register): boolean {
    if (open.every(({ outcome }) => outcome.kind === "unknown")) return true;
    const key = `${register.revision} ${register.value} ${open.map((call) => calls.indexOf(call)).join()}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const firstEnd = open.reduce((first, { endedAt }) => Math.min(first, endedAt), Infinity);
    // What began after another had ended comes after it.
    return open
      .filter(({ begunAt }) => begunAt < firstEnd)
      .some((call) => {
        const next = after(register, call.outcome);
        return (
          next !== undefined &&
          isPlaced(
            open.filter((other) => other !== call),
            next,
          )
        );
      });
  }

  return isPlaced(calls, UNWRITTEN);
}

/** The register after a call; `undefined` where the call cannot have been told so. */
function after(register: Register, outcome: RegisterOutcome): Register | undefined {
  const { revision, value } = register;
  switch (outcome.kind) {
    case "read":
      return outcome.revision === revision && outcome.value === value ? register : undefined;
    case "refused":
      return outcome.expected === revision ? undefined : register;
    case "written":
      return outcome.expected === revision
        ? { revision: revision + 1, value: outcome.value }
        : undefined;
    case "unknown":
      // Refused in silence, it changes nothing.
      return outcome.expected === revision
        ? { revision: revision + 1, value: outcome.value }
        : register;
  }
}
