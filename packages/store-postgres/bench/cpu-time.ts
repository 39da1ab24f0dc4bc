import { readFileSync } from "node:fs";

/** CPU time, in microseconds. */
export interface CpuTime {
  readonly client: number;
  readonly server: number;
}

/** What this process, and a server with its processes, have used by now. */
export function cpuTime(serverPid: number | undefined): CpuTime {
  const { user, system } = process.cpuUsage();
  const children = readFileSync(`/proc/${serverPid}/task/${serverPid}/children`, "utf8");
  const pids = [String(serverPid), ...children.trim().split(" ")];
  return { client: user + system, server: pids.reduce((sum, pid) => sum + runTime(pid), 0) };
}

/** Nanoseconds on a processor come first. A process that has ended has none. */
function runTime(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000;
  } catch {
    return 0;
  }
}
