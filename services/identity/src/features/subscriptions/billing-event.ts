import { planCodes } from '@tandem/contract';
import { z } from 'zod';

/** How long the ids of events are kept. Stripe repeats an event for three days, and by hand for 30 days. */
export const billingEventRetention = { table: 'billing_event', column: 'received_at', days: 30 } as const;

/** The part of an event of Stripe that concerns the subscription of a tenant. */
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

/** An event that says nothing about the subscription of a tenant, and why. */
export interface IgnoredEvent {
  id: string | null;
  type: string | null;
  ignored: 'another form' | 'another type' | 'no tenant' | 'status without effect' | 'first payment of a subscription';
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

const Envelope = z.object({
  id: Id,
  type: z.string().max(100),
  created: Time,
  data: z.object({ object: z.unknown() }),
});

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

/** Whether an event says something about the subscription of a tenant. */
export function isAboutTenant(event: BillingEvent | IgnoredEvent): event is BillingEvent {
  return 'says' in event;
}

/**
 * Reads an event of the documented form (https://docs.stripe.com/api/events/types). A subscription that begins with a trial,
 * or is paid at once, is created with its final status, and no update of it follows.
 */
export function readBillingEvent(body: unknown): BillingEvent | IgnoredEvent {
  const { data: event } = Envelope.safeParse(body);
  if (!event) return { id: null, type: null, ignored: 'another form' };
  const { id, type, created: at } = event;
  const common = { id, type, at };
  const read = readObject(common, event.data.object);
  return typeof read === 'string' ? { id, type, ignored: read } : read;
}

type Common = Pick<BillingEvent, 'id' | 'type' | 'at'>;
type Read = BillingEvent | IgnoredEvent['ignored'];

function readObject(common: Common, object: unknown): Read {
  switch (common.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
      return ofSubscription(common, object, { isDeleted: false });
    case 'customer.subscription.deleted':
      return ofSubscription(common, object, { isDeleted: true });
    case 'invoice.paid':
      return ofInvoice({ ...common, says: 'paid' }, object);
    case 'invoice.payment_failed':
      return ofInvoice({ ...common, says: 'past_due' }, object);
    default:
      return 'another type';
  }
}

function ofSubscription(common: Common, object: unknown, { isDeleted }: { isDeleted: boolean }): Read {
  const { data } = Subscription.safeParse(object);
  if (!data) return formError(object);
  const says = isDeleted ? 'canceled' : Object.hasOwn(meanings, data.status) && meanings[data.status];
  if (!says) return 'status without effect';
  const { id: ref, created: startedAt, trial_end: trialEnd, metadata } = data;
  return { ...common, says, ref, startedAt, trialEnd, tenant: metadata.tenantId, plan: metadata.plan };
}

/** Subscriptions without the metadata of a tenant are usual: those of other products of the account. */
function formError(object: unknown): IgnoredEvent['ignored'] {
  return Subscription.omit({ metadata: true }).safeParse(object).success ? 'no tenant' : 'another form';
}

function ofInvoice(common: Common & Pick<BillingEvent, 'says'>, object: unknown): Read {
  const { data } = Invoice.safeParse(object);
  const { data: ref } = Reference.safeParse(data?.subscription);
  // An invoice of no subscription has neither; one of another product of the account has no metadata of a tenant.
  if (!data || ref === undefined) return 'no tenant';
  // The first payment of a subscription, which is `incomplete` until it succeeds.
  if (common.says === 'past_due' && data.billing_reason === 'subscription_create')
    return 'first payment of a subscription';
  return { ...common, ref, startedAt: null, trialEnd: null, tenant: data.metadata.tenantId, plan: null };
}
