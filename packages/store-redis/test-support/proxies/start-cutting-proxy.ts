import { startProxy } from "./start-proxy.ts";
import type { ProxiedConnection, Proxy } from "./start-proxy.ts";

/** When a connection is cut: before the server receives a request, or after it has executed it. */
export type CutMoment = "before" | "after";

/** A proxy that cuts connections on demand. */
export interface CuttingProxy extends Proxy {
  /** Cuts every open connection at its next request, or at the answer to it. With `text`: at the next request that contains it. */
  readonly cut: (moment: CutMoment, text?: string) => void;
  /** Number of cut connections by moment. */
  readonly cuts: Readonly<Record<CutMoment, number>>;
}

interface Sentence {
  readonly moment: CutMoment;
  readonly text: string;
  /** The request was forwarded; its answer will not be. */
  readonly isPassed: boolean;
}

/** Starts a proxy that cuts connections so that a request or its answer is lost. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sentences = new Map<ProxiedConnection, Sentence>();
  const cuts = { before: 0, after: 0 };
  const cutNow = (connection: ProxiedConnection, moment: CutMoment): void => {
    cuts[moment] += 1;
    sentences.delete(connection);
    connection.client.destroy();
    connection.server.destroy();
  };
  const proxy = await startProxy(target, (connection) => {
    const { client, server } = connection;
    client.on("close", () => sentences.delete(connection));
    client.on("data", (request: Buffer) => {
      const sentence = sentences.get(connection);
      const isMeant = sentence !== undefined && request.includes(sentence.text);
      if (isMeant && sentence.moment === "before") {
        cutNow(connection, "before");
        return;
      }
      if (isMeant) sentences.set(connection, { ...sentence, isPassed: true });
      server.write(request);
    });
    server.on("data", (answer) => {
      if (sentences.get(connection)?.isPassed === true) cutNow(connection, "after");
      else client.write(answer);
    });
  });
  const cut = (moment: CutMoment, text = ""): void => {
    for (const connection of proxy.connections) {
      const isPassed = sentences.get(connection)?.isPassed === true;
      sentences.set(connection, { moment, text, isPassed: isPassed && moment === "after" });
    }
  };
  return { ...proxy, cut, cuts };
}
