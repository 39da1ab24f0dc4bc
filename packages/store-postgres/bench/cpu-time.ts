import { readFileSync } from "node:fs";

/** CPU time, in microseconds. */
export interface CpuTime {
  readonly client: number;
  readonly server: number;
}

/** CPU time so far of this process, and of a server with its child processes. */
export function cpuTime(serverPid: number | undefined): CpuTime {
  const { user, system } = process.cpuUsage();
  const children = readFileSync(`/proc/${serverPid}/task/${serverPid}/children`, "utf8");
  const pids = [String(serverPid), ...children.trim().split(" ")];
  return { client: user + system, server: pids.reduce((sum, pid) => sum + runTime(pid), 0) };
}

/** The first field is CPU time in nanoseconds. A process that has ended counts 0. */
function runTime(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000;
  } catch {
    return 0;
  }
}
