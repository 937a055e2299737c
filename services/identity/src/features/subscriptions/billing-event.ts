import { planCodes } from '@tandem/contract';
import { z } from 'zod';

/** How long the ids of events are kept. Stripe repeats an event for three days, and by hand for 30 days. */
export const billingEventRetention = { table: 'billing_event', column: 'received_at', days: 30 } as const;

/** What an event says about the subscription of a tenant. */
export interface BillingEvent {
  id: string;
  type: string;
  /** When it happened at the payment provider. */
  at: Date;
  /** The tenant, as the metadata of the subscription names it. */
  tenant: string;
  /** The subscription at the payment provider. */
  ref: string;
  /** When that subscription began; null if the event does not say. */
  startedAt: Date | null;
  says: 'active' | 'trialing' | 'past_due' | 'canceled' | 'paid';
  /** The plan of a trial, and its end. */
  plan: z.output<typeof PlanOfTrial> | null;
  trialEnd: Date | null;
}

/**
 * The statuses of subscriptions (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). `unpaid`
 * follows `past_due` when all attempts have failed. `incomplete` and `incomplete_expired` are those of a subscription whose
 * first payment was never made, and `paused` that of a trial without a means of payment: they have granted nothing.
 */
const meanings: Record<string, BillingEvent['says']> = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
  unpaid: 'past_due',
  canceled: 'canceled',
};

const Id = z.string().regex(/^[A-Za-z0-9_]{1,255}$/);
const Time = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((seconds) => new Date(seconds * 1_000));
const PlanOfTrial = z.enum(planCodes).exclude(['free', 'enterprise']);
const Metadata = z.object({
  tenantId: z.string().min(1).max(64),
  plan: PlanOfTrial.nullable().catch(null).default(null),
});

const Envelope = z.object({ id: Id, type: z.string(), created: Time, data: z.object({ object: z.unknown() }) });

const Subscription = z.object({
  id: Id,
  status: z.string(),
  created: Time.nullable().catch(null),
  trial_end: Time.nullable().catch(null),
  metadata: Metadata,
});

/** The subscription of an invoice, which an event from before 2025 has in another place. */
const InvoiceDetails = z.object({ metadata: Metadata, subscription: z.unknown() });
const Invoice = z.union([
  z
    .object({ parent: z.object({ subscription_details: InvoiceDetails }), billing_reason: z.unknown() })
    .transform(({ parent, billing_reason }) => ({ ...parent.subscription_details, billing_reason })),
  z
    .object({
      subscription_details: InvoiceDetails.omit({ subscription: true }),
      subscription: z.unknown(),
      billing_reason: z.unknown(),
    })
    .transform(({ subscription_details, ...invoice }) => ({ ...subscription_details, ...invoice })),
]);
const Reference = z.union([Id, z.object({ id: Id }).transform(({ id }) => id)]);

/** Reads an event; undefined if it is of another type, concerns no tenant, or has another form than documented. */
export function readBillingEvent(body: unknown): BillingEvent | undefined {
  const { data: event } = Envelope.safeParse(body);
  if (!event) return undefined;
  const { id, type, created: at } = event;
  const common = { id, type, at };
  switch (type) {
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return ofSubscription(common, event.data.object, type === 'customer.subscription.deleted');
    case 'invoice.paid':
      return ofInvoice({ ...common, says: 'paid' }, event.data.object);
    case 'invoice.payment_failed':
      return ofInvoice({ ...common, says: 'past_due' }, event.data.object);
    default:
      return undefined;
  }
}

type Common = Pick<BillingEvent, 'id' | 'type' | 'at'>;

function ofSubscription(common: Common, object: unknown, isDeleted: boolean): BillingEvent | undefined {
  const { data } = Subscription.safeParse(object);
  const says = data && (isDeleted ? 'canceled' : Object.hasOwn(meanings, data.status) && meanings[data.status]);
  if (!data || !says) return undefined;
  const { id: ref, created: startedAt, trial_end: trialEnd, metadata } = data;
  return { ...common, says, ref, startedAt, trialEnd, tenant: metadata.tenantId, plan: metadata.plan };
}

function ofInvoice(common: Common & Pick<BillingEvent, 'says'>, object: unknown): BillingEvent | undefined {
  const { data } = Invoice.safeParse(object);
  const { data: ref } = Reference.safeParse(data?.subscription);
  if (!data || ref === undefined) return undefined;
  // The first payment of a subscription, which is `incomplete` until it succeeds.
  if (common.says === 'past_due' && data.billing_reason === 'subscription_create') return undefined;
  return { ...common, ref, startedAt: null, trialEnd: null, tenant: data.metadata.tenantId, plan: null };
}
