import { textIn } from './connector.ts';

/** The types of events that can be logged (https://docs.stripe.com/api/events/types). */
export const billingEventTypes = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
] as const;
type BillingEventType = (typeof billingEventTypes)[number];

/** An event, with the object that it is about as it was then. */
export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  data: {
    object: Record<string, unknown>;
    /** For updates: the former values of the fields that changed. */
    previous_attributes?: Record<string, unknown> | undefined;
  };
}

const nameMax = 80;
/** The fields of a subscription that a note names. A renewal changes others, such as the period. */
const notedFields = ['status', 'items', 'plan', 'cancel_at_period_end', 'cancel_at'];

const notes: Record<BillingEventType, (object: Record<string, unknown>) => string> = {
  'customer.subscription.created': (object) => `${subscription(object)} was created and is ${statusOf(object)}`,
  'customer.subscription.updated': (object) => `${subscription(object)} is ${statusOf(object)}${endOf(object)}`,
  'customer.subscription.deleted': (object) => `${subscription(object)} has ended`,
  'customer.subscription.paused': (object) => `${subscription(object)} is paused`,
  'customer.subscription.resumed': (object) => `${subscription(object)} was resumed and is ${statusOf(object)}`,
  'customer.subscription.trial_will_end': (object) => `the trial of ${subscription(object)} will end soon`,
  'invoice.finalized': (object) => `${invoice(object, 'amount_due')} was issued`,
  'invoice.paid': (object) => `${invoice(object, 'amount_paid')} was paid`,
  'invoice.payment_failed': (object) => `the payment of ${invoice(object, 'amount_due')} failed`,
  'invoice.payment_action_required': (object) =>
    `the payment of ${invoice(object, 'amount_due')} needs an action of the customer`,
};

/** Whether an event has a known type, and changes something that its note names. */
export function isWorthNoting({ type, data }: StripeEvent): boolean {
  if (!Object.hasOwn(notes, type)) return false;
  const { previous_attributes: previous } = data;
  const isUpdate = type === 'customer.subscription.updated' && previous !== undefined;
  return !isUpdate || notedFields.some((field) => Object.hasOwn(previous, field));
}

/** The text about an event, such as "Stripe: invoice 0042 over 49.00 EUR was paid". */
export function noteOf({ type, data }: StripeEvent): string {
  const note = notes[type as BillingEventType](data.object);
  return `Stripe: ${note}`
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .slice(0, 200);
}

function subscription(object: Record<string, unknown>): string {
  const item = firstOf(object['items']);
  const names = [textIn(at(item, 'price'), 'nickname'), textIn(at(item, 'plan'), 'nickname')];
  const name = [...names, textIn(object['plan'], 'nickname')].find((one) => one !== null);
  return name === undefined ? 'the subscription' : `subscription ${String(name).slice(0, nameMax)}`;
}

function statusOf(object: Record<string, unknown>): string {
  return (textIn(object, 'status') ?? 'changed').slice(0, nameMax);
}

function endOf(object: Record<string, unknown>): string {
  return object['cancel_at_period_end'] === true ? ' and ends with its period' : '';
}

function invoice(object: Record<string, unknown>, field: string): string {
  const number = (textIn(object, 'number') ?? textIn(object, 'id') ?? '').slice(0, nameMax);
  const amount = amountOf(object[field], textIn(object, 'currency'));
  return ['invoice', number, amount && `over ${amount}`].filter(Boolean).join(' ');
}

// https://docs.stripe.com/currencies: Stripe keeps two decimals for ISK and UGX.
const noDecimals = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const threeDecimals = 'BHD JOD KWD OMR TND'.split(' ');

/** An amount of minor units with its currency; undefined if it is none. */
function amountOf(minor: unknown, currency: string | null): string | undefined {
  const code = currency?.toUpperCase() ?? '';
  if (!Number.isSafeInteger(minor) || !/^[A-Z]{3}$/.test(code)) return undefined;
  const decimals = noDecimals.includes(code) ? 0 : threeDecimals.includes(code) ? 3 : 2;
  return `${((minor as number) / 10 ** decimals).toFixed(decimals)} ${code}`;
}

function firstOf(list: unknown): unknown {
  const data = at(list, 'data');
  return Array.isArray(data) ? data[0] : undefined;
}

function at(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}
