import { setTimeout as wait } from "node:timers/promises";

/**
 * Waits for a condition that another process fulfills; polls every few milliseconds.
 *
 * @throws `Error` if it is not fulfilled after `timeoutMs`, default 300,000.
 */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 300_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`);
    await wait(5);
  }
}
