import type { Log } from '@tandem/process';
import type { Account, Month } from './account.ts';
import type { Presence } from './presence.ts';
import type { Recorded } from './recorded-usage.ts';

/** Corrects the month counters in Redis to match the recorded usage. */
export interface Reconciler {
  /** Queues a month for reconciliation. */
  add(account: Account, month: Month): void;
  /** Reconciles queued months, unless a run is in progress or the live gateways are not known yet. */
  run(): Promise<void>;
}

const concurrency = 4;

/**
 * A killed gateway leaves calls in Redis that it never recorded. The recorded usage is authoritative for a stopped
 * gateway, its own count for a live one.
 * @param options.gatewaysOf the gateways with calls in Redis
 * @param options.correct replaces the calls of stopped gateways in Redis by the recorded ones
 */
export function createReconciler(options: {
  presence: Presence;
  readRecorded: (month: Month) => Promise<Recorded>;
  gatewaysOf: (account: Account, month: Month) => Promise<string[]>;
  correct: (account: Account, month: Month, found: { recorded: Recorded; gone: Recorded }) => Promise<void>;
  log: Log;
}): Reconciler {
  const { presence, readRecorded, gatewaysOf, correct, log } = options;
  const due = new Map<Month, Account>();
  let isRunning = false;

  const reconcile = async (account: Account, month: Month) => {
    // The order matters: a gateway announces itself before it counts, so one with calls but no presence has stopped.
    const counted = await gatewaysOf(account, month);
    const living = await presence.living();
    if (!living) return;
    const recorded = await readRecorded(month);
    const ended = counted.filter((gateway) => !living.has(gateway));
    const gone = Object.fromEntries(ended.map((gateway) => [gateway, recorded[gateway] ?? 0]));
    await correct(account, month, { recorded, gone });
    due.delete(month);
  };

  return {
    add: (account, month) => void due.set(month, account),
    async run() {
      if (isRunning || !due.size) return;
      isRunning = true;
      try {
        if (!(await presence.living())) return;
        const queue = [...due];
        const work = async () => {
          for (let next = queue.shift(); next; next = queue.shift()) await reconcile(next[1], next[0]);
        };
        await Promise.all(Array.from({ length: concurrency }, work));
      } catch (error) {
        log.warn('usage counters not reconciled yet', { error, tenants: due.size });
      } finally {
        isRunning = false;
      }
    },
  };
}
