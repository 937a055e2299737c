import type { RawBody } from '@tandem/contract';
import type { billingEvents } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import { ApiError, fail } from '@tandem/service';
import type { Subscription as SubscriptionRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type BillingEvent, type IgnoredEvent, isAboutTenant, readBillingEvent } from './billing-event.ts';
import { type Status, setStatus, statusesAfter } from './set-status.ts';
import { isSignedByStripe } from './stripe-signature.ts';
import { lockSubscription, planOf } from './subscription.ts';

const dayMs = 86_400_000;
// Within this time Stripe repeats a failed payment by default.
const paymentDays = 14;
const actor = { type: 'system', name: 'Stripe' } as const;

/** Changes the subscription of a tenant as the payment provider reports it. The log says why an event changes nothing. */
export const receiveBillingEvent = (
  tools: Tools,
): Handler<typeof billingEvents.receiveBillingEvent, BillingEvent | IgnoredEvent> => {
  const log = createLog('identity');
  const ignore = ({ id, type }: Pick<IgnoredEvent, 'id' | 'type'>, reason: string) => {
    log.info('billing event without effect', { event: id, type, reason });
    return { applied: false };
  };
  return {
    check: async ({ body }) => readSigned(tools, body),
    async run({ inTenant, afterCommit, found: event }) {
      if (!isAboutTenant(event)) return ignore(event, event.ignored);
      const tenantId = tools.ids.decode('tenant', undefined, event.tenant);
      if (tenantId === undefined) return ignore(event, 'unknown tenant');
      const work = inTenant({ tenantId, environment: 'live', actor }, async (inside) => {
        const locked = await lockSubscription(inside.tx);
        const change = (await recordEvent(inside.tx, locked.before, event)) ?? changeBy(event, locked.before);
        if (typeof change !== 'string') await setStatus(inside, locked, change);
        return change;
      });
      const change = await work.catch(unlessUnknown);
      if (typeof change === 'string') return ignore(event, change);
      afterCommit(() => tools.invalidateCredentials({ tenantId }));
      return { applied: true };
    },
  };
};

function readSigned({ stripeSecret }: Tools, { bytes, headers }: RawBody): BillingEvent | IgnoredEvent {
  if (stripeSecret === undefined) throw fail('not_found');
  if (!isSignedByStripe(stripeSecret, headers['stripe-signature'] ?? '', bytes)) throw fail('invalid_signature');
  try {
    return readBillingEvent(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    throw fail('validation_failed', [{ field: 'body', message: 'Must be JSON' }]);
  }
}

/** A tenant that does not exist any more has no subscription; Stripe must not repeat the event. */
function unlessUnknown(error: unknown): string {
  if (error instanceof ApiError && error.code === 'not_found') return 'unknown tenant';
  throw error;
}

/**
 * Records an event.
 * @returns why it is no news: it was received before, a later one of the same subscription at the provider was, or the tenant
 * has a later subscription there
 */
async function recordEvent(
  tx: Tx,
  before: SubscriptionRow,
  { id, type, ...event }: BillingEvent,
): Promise<string | undefined> {
  const [isNew] = await tx.sql`INSERT INTO billing_event (event_id, type) VALUES (${id}, ${type})
    ON CONFLICT (tenant_id, event_id) DO NOTHING RETURNING event_id`;
  if (!isNew) return 'received before';
  const { billingRef, billingStartedAt, billingEventAt } = before;
  if (billingRef === event.ref) {
    // The times of events have no fractions of a second.
    if (billingEventAt && event.at < billingEventAt) return 'older than the last one';
  } else if (billingRef !== null) {
    const isLater = event.startedAt && (!billingStartedAt || event.startedAt > billingStartedAt);
    // The end of a former subscription says nothing about the present one.
    if (!isLater) return 'another subscription replaced it';
  }
  const startedAt = event.startedAt ?? (billingRef === event.ref ? billingStartedAt : null);
  await tx.subscription.updateMany({
    where: { id: before.id },
    data: { billingRef: event.ref, billingStartedAt: startedAt, billingEventAt: event.at },
  });
  return undefined;
}

type Change = Parameters<typeof setStatus>[2];

/** The change that an event makes to a subscription, or why there is none: it is as the event says, or cannot become so. */
function changeBy(event: BillingEvent, before: SubscriptionRow): Change | string {
  const status = statusBy(event, before);
  if (status === undefined || !statusesAfter(before).includes(status)) return 'status without effect';
  if (status !== 'trialing') return { status, deadline: new Date(Date.now() + paymentDays * dayMs) };
  const { trialEnd: deadline } = event;
  const plan = event.plan ?? (before.status === 'trialing' ? planOf(before) : null);
  if (!plan) return 'no plan';
  if (!deadline || deadline <= new Date()) return 'no trial that ends later';
  const isAsBefore = before.status === 'trialing' && before.endsAt?.getTime() === deadline.getTime();
  return isAsBefore ? 'status without effect' : { status, plan, deadline };
}

function statusBy({ says }: BillingEvent, before: SubscriptionRow): Status | undefined {
  switch (says) {
    // The invoice of a trial over nothing is paid at its beginning.
    case 'paid':
      return before.paymentDue ? 'active' : undefined;
    // Each failed attempt is reported; the time to pay begins with the first one.
    case 'past_due':
      return before.status === 'past_due' ? undefined : 'past_due';
    // A tenant on Free stays there.
    case 'canceled':
      return planOf(before) === 'free' ? undefined : 'canceled';
    default:
      return says;
  }
}
