import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '@tandem/process';
import type { InTenant } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type Click, storeClicks } from './store-clicks.ts';

export interface ClickScope {
  tenantId: number;
  environment: 'live' | 'sandbox';
}

/** The clicks of a tenant that wait. */
interface Waiting {
  scope: ClickScope;
  inTenant: InTenant<Tx, never>;
  clicks: Click[];
  /** Clicks by code that are counted without a row. */
  dropped: Map<number, { clicks: number; botClicks: number }>;
}

const flushMs = 200;
const batchMax = 500;
// About 10 MB, and the clicks of ten seconds at the rate that a process serves.
const waitingMaxDefault = 20_000;
const retryMs = 1_000;
const tenantsAtOnce = 4;

/**
 * Collects clicks and stores them in batches, so that a redirect does not wait for the database. While clicks come in faster than
 * they are stored, or the database is unavailable, they are counted without a row.
 * @param options.waitingMax how many clicks may wait
 */
export function clickBuffer(log: Log, { waitingMax = waitingMaxDefault } = {}) {
  // Batches outlive the requests of their clicks, and have no trace or scope of one.
  const outside = AsyncLocalStorage.snapshot();
  let tenants = new Map<string, Waiting>();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;
  let hasFailed = false;

  const waitingOf = (scope: ClickScope, inTenant: Waiting['inTenant']): Waiting => {
    const key = `${scope.tenantId}/${scope.environment}`;
    const known = tenants.get(key) ?? { scope, inTenant, clicks: [], dropped: new Map() };
    tenants.set(key, known);
    return known;
  };

  const add = (into: Waiting, click: Click): void => {
    if (waiting < waitingMax) {
      into.clicks.push(click);
      waiting++;
      return;
    }
    const counts = into.dropped.get(click.codeId) ?? { clicks: 0, botClicks: 0 };
    into.dropped.set(click.codeId, {
      clicks: counts.clicks + 1,
      botClicks: counts.botClicks + (click.isBot ? 1 : 0),
    });
  };

  const store = async ({ scope, inTenant, clicks, dropped }: Waiting): Promise<void> => {
    const counts = [...dropped].map(([codeId, count]) => ({ codeId, ...count }));
    let stored = 0;
    try {
      do {
        const batch = clicks.slice(stored, stored + batchMax);
        const withCounts = stored ? [] : counts;
        await inTenant(scope, ({ tx }) => storeClicks(tx, batch, withCounts));
        stored += batch.length;
        waiting -= batch.length;
        dropped.clear();
      } while (stored < clicks.length);
    } catch (error) {
      // The tenant was suspended or deleted meanwhile: its links do not exist.
      const isGone = (error as { code?: unknown }).code === 'not_found';
      const rest = clicks.slice(stored);
      waiting -= rest.length;
      if (isGone) return;
      hasFailed = true;
      log.warn('clicks were not stored; trying again', { error, clicks: rest.length });
      const again = waitingOf(scope, inTenant);
      for (const click of rest) add(again, click);
      for (const [codeId, { clicks: more, botClicks }] of dropped) {
        const counted = again.dropped.get(codeId) ?? { clicks: 0, botClicks: 0 };
        again.dropped.set(codeId, { clicks: counted.clicks + more, botClicks: counted.botClicks + botClicks });
      }
    }
  };

  const storeAll = async (): Promise<void> => {
    hasFailed = false;
    const batches = [...tenants.values()];
    tenants = new Map();
    for (let from = 0; from < batches.length; from += tenantsAtOnce)
      await Promise.all(batches.slice(from, from + tenantsAtOnce).map(store));
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    storing ??= storeAll().finally(() => {
      storing = undefined;
      // What is left failed or came in meanwhile.
      if (tenants.size) flushIn(hasFailed ? retryMs : flushMs);
    });
    return storing;
  };

  const flushIn = (ms: number): void => {
    timer ??= outside(() => setTimeout(() => void flush(), ms).unref());
  };

  return {
    add(scope: ClickScope, click: Click, inTenant: Waiting['inTenant']): void {
      add(waitingOf(scope, inTenant), click);
      if (storing) return;
      if (waiting >= batchMax) void outside(flush);
      else flushIn(flushMs);
    },
    /** Stores what waits. */
    async close(): Promise<void> {
      await storing;
      await outside(flush);
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

export type ClickBuffer = ReturnType<typeof clickBuffer>;
