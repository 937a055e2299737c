import { randomUUID } from 'node:crypto';
import { type RefusedRequest, refusalsPerHourMax } from '@tandem/identity-contract';
import type { Log } from '@tandem/process';
import type { z } from 'zod';
import type { Exchange } from '../exchange.ts';

export type Refusal = z.output<typeof RefusedRequest>;

export interface Refusals {
  /** Queues a finished request for the audit log if its caller lacked a permission. */
  add(exchange: Exchange): void;
  /** Reports the remaining refusals. */
  close(): Promise<void>;
}

const reportMs = 2_000;
const batchMax = 100;
const pendingMax = 1_000;
const callersMax = 10_000;
const hourMs = 3_600_000;

/**
 * Reports refused calls to identity, for the audit log, every 2 s. They wait in memory, at most ten per user or key and
 * hour and 1,000 in total; while identity is unavailable, for an hour. A crash of the process loses them.
 */
export function createRefusals(
  report: (refusals: Refusal[]) => Promise<unknown>,
  log: Log,
  { now = Date.now, everyMs = reportMs }: { now?: () => number; everyMs?: number } = {},
): Refusals {
  let pending: Refusal[] = [];
  // Refused calls of each caller in the hour. Identity counts them too, because there are several gateways.
  const counts = new Map<string, number>();
  let hour = 0;
  let lost = 0;
  let isFailing = false;
  let busy: Promise<void> | undefined;

  const isBelowLimit = ({ tenantId, userId, keyId }: Refusal): boolean => {
    const current = Math.floor(now() / hourMs);
    if (current !== hour || counts.size >= callersMax) counts.clear();
    hour = current;
    const caller = `${tenantId}/${keyId ?? ''}/${userId}`;
    const count = counts.get(caller) ?? 0;
    if (count >= refusalsPerHourMax) return false;
    counts.set(caller, count + 1);
    return true;
  };
  const flush = async () => {
    const before = pending.length;
    pending = pending.filter(({ at }) => at.getTime() > now() - hourMs);
    lost += before - pending.length;
    if (lost) log.warn('refused calls not recorded', { calls: lost });
    lost = 0;
    const batch = pending.slice(0, batchMax);
    if (!batch.length) return;
    try {
      await report(batch);
      const sent = new Set(batch);
      pending = pending.filter((one) => !sent.has(one));
      isFailing = false;
    } catch (error) {
      isFailing = true;
      log.warn('refused calls not recorded yet', { error, calls: pending.length });
    }
  };
  const run = () => {
    busy ??= flush().finally(() => {
      busy = undefined;
    });
    return busy;
  };
  const timer = setInterval(() => void run(), everyMs);
  timer.unref();

  return {
    add(exchange) {
      const refusal = refusalOf(exchange, now());
      if (!refusal || !isBelowLimit(refusal)) return;
      if (pending.length < pendingMax) pending.push(refusal);
      else lost++;
    },
    async close() {
      clearInterval(timer);
      await busy;
      do await run();
      while (pending.length && !isFailing);
    },
  };
}

const reasons = new Set(['forbidden', 'bad_target_user']);

function refusalOf(exchange: Exchange, at: number): Refusal | undefined {
  const { auth, code = '', route, request, requestId, ip, actingId } = exchange;
  // Portal users have no permissions.
  if (!auth || !route || !reasons.has(code) || auth.by === 'portal' || auth.who.userId === null) return undefined;
  const { tenantId, userId, keyId, name } = auth.who;
  return {
    id: randomUUID(),
    at: new Date(at),
    tenantId,
    environment: auth.environment,
    userId,
    keyId,
    onBehalfOf: actingId ?? null,
    name,
    ip,
    userAgent: request.headers['user-agent']?.slice(0, 200) ?? null,
    requestId,
    operation: route.name,
    reason: code,
  };
}

/** The error code of a service's 403 response. */
export function refusalCode(body: Buffer): string | undefined {
  try {
    const { code } = JSON.parse(body.toString()) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
