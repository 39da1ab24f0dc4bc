/** Why a reply that began well is of no use. */
export type Incompleteness = "broken" | "silent" | "cut" | "withheld" | "empty";

/** A reply that is not whole. */
export interface IncompleteReply extends Error {
  readonly incompleteness: Incompleteness;
}

/** Makes the error of a reply that is not whole. */
export function incomplete(incompleteness: Incompleteness): IncompleteReply {
  return Object.assign(new Error(`The reply is ${incompleteness}.`), { incompleteness });
}

/** Tells whether an error is that of a reply that is not whole. */
export function isIncomplete(error: unknown): error is IncompleteReply {
  return error instanceof Error && "incompleteness" in error;
}
