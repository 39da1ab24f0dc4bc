import type { Output, OutputStream } from "./output.ts";
import { progressView } from "./progress-view.ts";
import type { Ticker } from "./progress-view.ts";
import type { Reporter } from "./reporter.ts";

const TICK_MS = 100;

/**
 * Shows a run on a terminal: the phases of a turn, their workers side by side and what each is about, drawn again as it changes. Answers,
 * what failed, and the table at the end stay as lines.
 */
export function liveReporter(
  terminal: OutputStream,
  output: Output,
  text: Reporter,
  tick: Ticker = everyTick,
): Reporter {
  const view = progressView(terminal, output.colors, tick);
  return {
    ...text,
    wait: view.wait,
    begin: (run) => {
      view.wait(undefined);
      text.begin(run);
    },
    resume: (question) => {
      view.finish();
      text.resume(question);
      view.begin();
    },
    entry: (entry) => {
      if (entry.type === "user_message") {
        view.finish();
        text.entry(entry);
        view.begin();
      }
      view.change((tree) => tree.entry(entry));
      if (entry.type === "error") view.above(() => text.entry(entry));
      else view.draw();
    },
    call: ({ agent, step }) => {
      view.change((tree) => tree.asks(agent, step));
      view.draw();
    },
    modelEvent: (agent, event) => {
      view.change((tree) => tree.event(agent, event));
      // Text waits for the next tick: it comes faster than anybody reads.
      if (event.type === "retry") view.above(() => text.modelEvent(agent, event));
    },
    compression: (record) => view.above(() => text.compression(record)),
    expansion: (record) => view.above(() => text.expansion(record)),
    answer: (answer) => {
      view.finish();
      text.answer(answer);
    },
    end: (run) => {
      view.finish();
      text.end(run);
    },
  };
}

function everyTick(callback: () => void): () => void {
  const timer = setInterval(callback, TICK_MS);
  // Nobody waits for a picture.
  timer.unref();
  return () => clearInterval(timer);
}
