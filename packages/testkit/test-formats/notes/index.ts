// The contract of the package: each line is public.
export { fromNotes, toNotes } from "./notes-format.ts";
