/** Shares the sends that a process runs at once among tenants, so that a slow receiver delays only its own tenant. */
export interface Turns {
  /**
   * Takes a turn, waiting for a moment when the tenant's sends are quick. Resolves to how to end the turn, or to the
   * time at which to ask again.
   * @param options.alone one send at a time for this webhook: it has timed out again and again
   */
  take(options: { tenant: string; webhook: string; alone: boolean }): Promise<{ end(): void } | { askAt: Date }>;
}

interface Queue {
  running: Map<object, { webhook: string; began: number }>;
  waiting: { webhook: string; go: () => void }[];
  averageMs: number;
  nextAt: number;
}

const perTenantMax = 5;
// Below this a short wait in memory is cheaper than a round through the database; above it would hold up others.
const quickMs = 200;
const waitMaxMs = 250;
const waitingMax = 10;
const postponeMinMs = 200;
const postponeMaxMs = 30_000;
const averageWeight = 0.2;
const quietQueuesMax = 10_000;

/** The turns of one process. */
export function createTurns({ max = perTenantMax, now = Date.now }: { max?: number; now?: () => number } = {}): Turns {
  const queues = new Map<string, Queue>();

  const queueOf = (tenant: string): Queue => {
    const known = queues.get(tenant);
    if (known) return known;
    if (queues.size >= quietQueuesMax) for (const [key, { running }] of queues) if (!running.size) queues.delete(key);
    const made: Queue = { running: new Map(), waiting: [], averageMs: 0, nextAt: 0 };
    queues.set(tenant, made);
    return made;
  };

  const begin = (queue: Queue, webhook: string) => {
    const turn = {};
    queue.running.set(turn, { webhook, began: now() });
    return {
      end() {
        const began = queue.running.get(turn)?.began;
        if (began === undefined) return;
        queue.running.delete(turn);
        queue.averageMs += averageWeight * (now() - began - queue.averageMs);
        queue.waiting.shift()?.go();
      },
    };
  };

  return {
    async take({ tenant, webhook, alone }) {
      const queue = queueOf(tenant);
      const isBusy = alone && [...queue.running.values()].some((turn) => turn.webhook === webhook);
      if (queue.running.size < max && !isBusy) return begin(queue, webhook);
      const expected = expectedMs(queue, now());
      if (!isBusy && expected < quickMs && queue.waiting.length < waitingMax && (await called(queue, webhook)))
        return begin(queue, webhook);
      // Each one that is sent away gets a later time: they come back spread out instead of all at once.
      queue.nextAt = Math.min(Math.max(now(), queue.nextAt) + expected / max, now() + postponeMaxMs);
      return { askAt: new Date(Math.max(queue.nextAt, now() + postponeMinMs)) };
    },
  };
}

/** How long a send of this tenant takes, judged also by those that have not ended. */
function expectedMs({ averageMs, running }: Queue, now: number): number {
  return Math.max(averageMs, ...[...running.values()].map(({ began }) => now - began));
}

/** Waits to be called when a turn ends; false when that takes too long. */
function called(queue: Queue, webhook: string): Promise<boolean> {
  return new Promise((resolve) => {
    const entry = {
      webhook,
      go() {
        clearTimeout(timer);
        resolve(true);
      },
    };
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(entry), 1);
      resolve(false);
    }, waitMaxMs);
    queue.waiting.push(entry);
  });
}
