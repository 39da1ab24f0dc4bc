import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A folder on a disk that keeps only synced data when its power is cut. */
export interface LossyDisk {
  readonly folder: string;
  readonly cutPower: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Mounts a folder with LazyFS, which keeps unsynced data in its memory. */
export async function mountLazyfs(program: string): Promise<LossyDisk> {
  // LazyFS mistakes a path that contains "-o" for an option.
  const work = mkdtempSync(join(tmpdir(), "agent-history-power_"));
  const [folder, kept] = [join(work, "mounted"), join(work, "kept")];
  for (const one of [folder, kept]) mkdirSync(one);
  const [orders, answers] = [join(work, "orders"), join(work, "answers")];
  const config = join(work, "config.toml");
  writeFileSync(
    config,
    `[faults]\nfifo_path="${orders}"\nfifo_path_completed="${answers}"\n[cache]\napply_eviction=false\n[cache.simple]\ncustom_size="1gb"\nblocks_per_page=1\n[filesystem]\nlog_all_operations=false\nlogfile=""\n`,
  );
  const own = ["-o", "allow_other", "-o", "modules=subdir", "-o", `subdir=${kept}`, "-f"];
  const child = spawn(program, [folder, "--config-path", config, ...own], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  for (let tries = 0; !isMounted(folder); tries += 1) {
    if (tries === 100) {
      child.kill();
      throw new Error(`LazyFS did not mount ${folder}`);
    }
    await wait(50);
  }
  return {
    folder,
    cutPower: async () => {
      const order = await open(orders, "w");
      await order.write("lazyfs::clear-cache\n");
      await order.close();
      const answer = await open(answers, "r");
      await answer.read();
      await answer.close();
    },
    remove: async () => {
      spawnSync("umount", [folder]);
      await ended;
      rmSync(work, { recursive: true });
    },
  };
}

function isMounted(folder: string): boolean {
  return readFileSync("/proc/mounts", "utf8").includes(` ${folder} `);
}
