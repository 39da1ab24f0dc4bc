import type { Calibration, Observation } from "../calibration.ts";
import { invalidOption } from "./invalid-option.ts";

/** Checks what was stored. @throws `HistoryError` with code `INVALID_OPTION`. */
export function checkedCalibration(calibration: Calibration): Calibration {
  if (isCalibration(calibration)) return calibration;
  throw invalidOption("calibration", {
    expected: "what calibration() gave",
    received: calibration,
    hint: "Leave it out to start again.",
  });
}

/** Checks a request that was answered. @throws `HistoryError` with code `INVALID_OPTION`. */
export function checkedObservation({ counted, reported }: Observation): Observation {
  for (const [option, received] of Object.entries({ counted, reported })) {
    if (Number.isSafeInteger(received) && received >= 0) continue;
    throw invalidOption(option, {
      expected: "an integer of 0 or more",
      received,
      hint: "Pass the tokens of the whole request, as counted and as the provider reports them.",
    });
  }
  return { counted, reported };
}

function isCalibration(value: unknown): boolean {
  return (
    isRecord(value) &&
    isAmount(value["factor"]) &&
    value["factor"] > 0 &&
    Array.isArray(value["observations"]) &&
    value["observations"].every(isObservation)
  );
}

function isObservation(value: unknown): boolean {
  return isRecord(value) && isAmount(value["counted"]) && isAmount(value["reported"]);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
