/** A call on one value with compare-and-set by revision, as its caller saw it. Times are rising numbers. */
export interface RegisterCall {
  readonly begunAt: number;
  /** `Infinity` if the outcome is unknown: the call may take effect at any later time, or never. */
  readonly endedAt: number;
  readonly outcome: RegisterOutcome;
}

/** The result that a caller got. */
export type RegisterOutcome =
  | { readonly kind: "read"; readonly revision: number; readonly value: string }
  | { readonly kind: "written"; readonly expected: number; readonly value: string }
  | { readonly kind: "refused"; readonly expected: number }
  | { readonly kind: "unknown"; readonly expected: number; readonly value: string };

interface Register {
  readonly revision: number;
  readonly value: string;
}

/** The value before the first write. */
const UNWRITTEN: Register = { revision: 0, value: "" };

/**
 * Returns whether calls are linearizable: whether they can be ordered so that each takes effect at one time between its beginning and its end, and sees the
 * effects of those before it. The search of Wing and Gong (1993), with memoization.
 */
export function isLinearizable(calls: readonly RegisterCall[]): boolean {
  const tried = new Set<string>();

  function isPlaced(open: readonly RegisterCall[], register: Register): boolean {
    if (open.every(({ outcome }) => outcome.kind === "unknown")) return true;
    const key = `${register.revision} ${register.value} ${open.map((call) => calls.indexOf(call)).join()}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const firstEnd = open.reduce((first, { endedAt }) => Math.min(first, endedAt), Infinity);
    // A call that began after another one ended comes after it.
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

/** The register after a call; `undefined` if the call cannot have this outcome. */
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
      // If the revision differs, the call has no effect.
      return outcome.expected === revision
        ? { revision: revision + 1, value: outcome.value }
        : register;
  }
}
