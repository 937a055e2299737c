import type { Log } from '@tandem/process';
import type { Account, Month } from './account.ts';
import type { Presence } from './presence.ts';
import type { Recorded } from './recorded-usage.ts';

/** Brings the month counters in Redis back to the recorded usage. */
export interface Reconciler {
  /** Reconciles a month soon. */
  add(account: Account, month: Month): void;
  /** Reconciles what is due, unless it is under way or this process cannot tell yet which gateways live. */
  run(): Promise<void>;
}

const atOnce = 4;

/**
 * A gateway that was killed leaves calls in Redis that it never recorded. For a gateway that has ended the recorded usage
 * is true, for a living one its own count.
 * @param options.gatewaysOf the gateways that Redis has calls of
 * @param options.correct puts the recorded calls of ended gateways in place of what Redis has
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
    // In this order: a gateway announces itself before it counts, so one that is in the fields and not present has ended.
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
        await Promise.all(Array.from({ length: atOnce }, work));
      } catch (error) {
        log.warn('usage counters not reconciled yet', { error, tenants: due.size });
      } finally {
        isRunning = false;
      }
    },
  };
}
