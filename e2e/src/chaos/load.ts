import { randomUUID } from 'node:crypto';

const answerWithinMs = 15_000;
const retryMs = 100;

/** One write as its client knows it. */
interface Write {
  email: string;
  /** The lead that was acknowledged. */
  id?: string;
}

/** The writes and answers of a run, as its clients saw them. */
export interface Ledger {
  /** Writes that were repeated with one Idempotency-Key until they were acknowledged. */
  careful: Write[];
  /** Writes that were sent once. */
  once: Write[];
  /** Requests by the live key that were answered below 500. */
  served: number;
  /** When each of those was answered, and by which gateway. */
  answers: { at: number; gateway: number }[];
  /** Requests without any answer: they may have been counted. Those answered with a 5xx must not be. */
  unanswered: number;
  statuses: Map<number, number>;
}

export interface Load {
  ledger: Ledger;
  /** Waits for the requests under way and sends no more. */
  stop(): Promise<void>;
}

/**
 * Creates leads at a bounded rate through several gateways: every second client repeats each write until it is acknowledged,
 * the others send theirs once.
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
        signal: AbortSignal.timeout(answerWithinMs),
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
      const began = Date.now();
      const write: Write = { email: `lead${++number}@example.com` };
      const body = { email: write.email, firstName: 'Lead', lastName: `Number${number}` };
      (isCareful ? ledger.careful : ledger.once).push(write);
      const key = isCareful ? randomUUID() : undefined;
      for (let attempt = 0; !write.id && (attempt === 0 || isCareful); attempt++) {
        const id = await send(body, (turn + attempt) % gateways.length, key);
        if (id) write.id = id;
        else await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
      // The pace of one client; a slow answer does not make the next one come faster.
      const rest = (clients * 1_000) / perSecond - (Date.now() - began);
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
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
