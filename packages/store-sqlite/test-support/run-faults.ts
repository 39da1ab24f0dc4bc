import { runFaults } from "../../testkit/test-support/faults/run-faults.ts";
import {
  killErasers,
  killInEveryVerb,
  killWriter,
  losePower,
  orderCalls,
  writeTogether,
} from "./faults.ts";

/** Kills processes that write to a file, and cuts the power of its disk: see `runFaults`. `AGENT_HISTORY_LAZYFS` is the path of the LazyFS program; mounting needs root. */

const lazyfs = process.env["AGENT_HISTORY_LAZYFS"];
const missing = lazyfs === undefined ? "AGENT_HISTORY_LAZYFS names no program" : undefined;
const cut = (runs: number, survives: boolean) => () => losePower(lazyfs ?? "", runs, survives);

await runFaults([{ name: "sqlite" }], (some) => [
  ["kill -9 of the writer", () => killWriter(some(100))],
  ["kill -9 in every verb", () => killInEveryVerb(some(200))],
  ["kill -9 of erasures", () => killErasers(some(200))],
  ["log and views, linearized", () => orderCalls(some(20))],
  ["four processes on one thread", () => writeTogether(some(10))],
  ["power cut, survivesPowerLoss", cut(some(40), true), missing],
  ["power cut, default", cut(some(40), false), missing],
]);
