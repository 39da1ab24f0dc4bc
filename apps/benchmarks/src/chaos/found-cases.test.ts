import { expect, it } from "vitest";

import { generateCase } from "./generate-case.ts";
import { runCase } from "./run-case.ts";

/** Cases in which a law was broken once. */
const FOUND: readonly number[] = [
  1_529_137_795, 3_631_791_033, 3_632_094_842, 3_632_117_598, 3_632_169_103, 1_588_378_289,
  1_588_515_456, 1_588_579_402, 1_588_652_626, 1_588_660_288, 1_588_675_716, 3_493_667_859,
  3_493_676_987, 3_493_691_505, 3_493_670_194, 3_493_680_142, 1_445_523_679, 1_445_527_613,
  1_445_527_906, 1_644_365_690, 1_644_407_515, 1_644_754_135, 3_433_117_203, 3_433_121_018,
  3_433_135_229, 3_433_146_584, 3_433_174_305, 3_433_213_063, 3_433_438_204, 834_150_674,
  1_529_191_431, 1_032_841_496,
];

it.each(FOUND)("breaks no law in case %i, where one was broken", (seed) => {
  expect(runCase(generateCase(seed))).toEqual([]);
});
