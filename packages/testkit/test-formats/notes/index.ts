// The contract of the package: each line is public.
export { fromNotes } from "./from-notes.ts";
export { toNotes } from "./to-notes.ts";
