import { randomUUID } from 'node:crypto';

const timeoutMs = 15_000;
const retryMs = 100;

/** One write, as its client sees it. */
interface Write {
  email: string;
  /** The id of the acknowledged lead. */
  id?: string;
}

/** The writes and responses of a run, as its clients saw them. */
export interface Ledger {
  /** Writes retried with the same Idempotency-Key until they were acknowledged. */
  careful: Write[];
  /** Writes sent only once. */
  once: Write[];
  /** Requests with the live key that got a response below 500. */
  served: number;
  /** Time and gateway of each of those responses. */
  answers: { at: number; gateway: number }[];
  /** Requests without a response, which may have been counted; requests with a 5xx response must not be. */
  unanswered: number;
  statuses: Map<number, number>;
}

export interface Load {
  ledger: Ledger;
  /** Stops sending and waits for the requests in flight. */
  stop(): Promise<void>;
}

/**
 * Creates leads at a bounded rate through several gateways. Every second client retries each write until it is
 * acknowledged; the others send each write once.
 */
export function startLoad(options: {
  gateways: readonly string[];
  apiKey: string;
  clients: number;
  perSecond: number;
}): Load {
  const { gateways, apiKey, clients, perSecond } = options;
  const ledger: Ledger = { careful: [], once: [], served: 0, answers: [], unanswered: 0, statuses: new Map() };
  let running = true;
  let number = 0;

  const send = async (body: object, gateway: number, idempotencyKey?: string): Promise<string | undefined> => {
    try {
      const response = await fetch(`${gateways[gateway]}/v1/leads`, {
        method: 'POST',
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { status } = response;
      const answer = (await response.json()) as { data?: { id: string } };
      ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
      if (status < 500) {
        ledger.served++;
        ledger.answers.push({ at: Date.now(), gateway });
      }
      return status === 201 ? answer.data?.id : undefined;
    } catch {
      ledger.unanswered++;
      return undefined;
    }
  };

  const client = async (index: number): Promise<void> => {
    const isCareful = index % 2 === 0;
    for (let turn = index; running; turn++) {
      const startedAt = Date.now();
      const write: Write = { email: `lead${++number}@example.com` };
      const body = { email: write.email, firstName: 'Lead', lastName: `Number${number}` };
      (isCareful ? ledger.careful : ledger.once).push(write);
      const key = isCareful ? randomUUID() : undefined;
      for (let attempt = 0; !write.id && (attempt === 0 || isCareful); attempt++) {
        const id = await send(body, (turn + attempt) % gateways.length, key);
        if (id) write.id = id;
        else await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
      // Limits the rate of one client; time lost by a slow response is not made up for.
      const restMs = (clients * 1_000) / perSecond - (Date.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  };
  const clientsDone = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    ledger,
    async stop() {
      running = false;
      await clientsDone;
    },
  };
}
