import { carriedRanks } from "./carried-ranks.ts";

/** Stands in for tiktoken's file, which holds the table in a build of its own: here the page carries it, and it is read at the first count. */
const encoder = {
  get bpe_ranks(): string {
    return carriedRanks();
  },
};
// oxlint-disable-next-line import/no-default-export -- What it stands in for is imported so.
export default encoder;
