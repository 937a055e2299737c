import { text } from '@tandem/contract';
import { z } from 'zod';
import type { Call, CallAnswer } from './calling.ts';
import { CallError, type Connector, textIn } from './connector.ts';
import { shownAsSecret } from './settings.ts';
import { billingEventTypes, isWorthNoting, noteOf, type StripeEvent } from './stripe-events.ts';
import { CursorExpiredError, type ExternalRecord, type SyncContext, type SyncPage } from './sync.ts';

type ActivityRecord = Extract<ExternalRecord, { kind: 'activity' }>;

const base = 'https://api.stripe.com/v1';
// The form of lists, customers and errors. Events have the version of the account, so their reader accepts several forms.
const headers = { 'stripe-version': '2024-06-20' };
// An event of an invoice with many lines can have 40 KB, and a response may have 1 MiB.
const pageSize = 25;
const daySeconds = 86_400;
// Stripe lists the events of 30 days.
const firstDays = 30;
// The clocks of Stripe and of this machine differ.
const overlapSeconds = 3_600;

const Credentials = z.object({
  apiKey: text(255)
    .regex(/^[sr]k_(live|test)_[A-Za-z0-9]+$/, 'Must be a secret or restricted key of Stripe')
    .meta({
      description: 'A secret key, or a restricted one that may read events, customers and the balance',
      ...shownAsSecret,
    }),
});

const Settings = z.object({
  eventTypes: z
    .array(z.enum(billingEventTypes, { error: `Must be one of ${billingEventTypes.join(', ')}` }), {
      error: 'Must be a list of types of events',
    })
    .min(1, 'Must contain at least one type')
    .max(billingEventTypes.length, `Must contain at most ${billingEventTypes.length} types`)
    .default([
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
      'invoice.paid',
      'invoice.payment_failed',
    ])
    .describe('The types of events that are logged as activities of the lead with the address of the customer'),
});

const EventId = z.string().regex(/^evt_\w{1,250}$/);
const Seconds = z.int().min(0).max(253_402_300_799);

/** The position of a sync: `after` the last event that was read, or within the first run. */
const Cursor = z.object({
  after: EventId.optional(),
  /** The events since then are read, the newest page first, until `after` is known. */
  since: Seconds.optional(),
  newest: EventId.optional(),
  before: EventId.optional(),
});
type Cursor = z.output<typeof Cursor>;

const Json = z.record(z.string(), z.unknown());
const Event = z.object({
  id: EventId,
  type: z.string(),
  created: Seconds,
  data: z.object({ object: Json, previous_attributes: Json.optional().catch(undefined) }),
});
const List = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });

export const stripe: Connector = {
  key: 'stripe',
  name: 'Stripe',
  category: 'payments',
  authType: 'api_key',
  provider: null,
  scopes: [],
  settings: Settings,
  credentials: Credentials,
  headersOf: ({ apiKey }) => ({ authorization: `Bearer ${String(apiKey)}` }),
  async probe(call) {
    // https://docs.stripe.com/api/balance/balance_retrieve
    await call({ url: `${base}/balance`, headers });
    return null;
  },
  nameError: () => 'Events of Stripe have no field mappings',
  sync: { kinds: () => ['activity'], everyMinutes: 15, read },
};

async function read({ call, settings, cursor }: SyncContext): Promise<SyncPage> {
  const { eventTypes } = Settings.parse(settings);
  const at = Cursor.safeParse(cursor).data ?? {};
  return at.after === undefined ? readFirst(call, eventTypes, at) : readNext(call, eventTypes, at.after);
}

/** Reads the next page of the first run. Stripe lists the newest events first. */
async function readFirst(call: Call, eventTypes: readonly string[], at: Cursor): Promise<SyncPage> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const { since = nowSeconds - firstDays * daySeconds, before } = at;
  const { events, hasMore } = await listEvents(call, eventTypes, {
    'created[gte]': String(since),
    ...(before !== undefined && { starting_after: before }),
  });
  const newest = at.newest ?? events[0]?.id;
  const oldest = events.at(-1)?.id;
  const records = await recordsOf(call, events.toReversed());
  if (hasMore && oldest !== undefined && oldest !== before)
    return { records, cursor: { since, newest, before: oldest }, isLast: false };
  const end: Cursor = newest === undefined ? { since: nowSeconds - overlapSeconds } : { after: newest };
  return { records, cursor: end, isLast: true };
}

/** Reads the events that directly follow the last one, the oldest first. */
async function readNext(call: Call, eventTypes: readonly string[], after: string): Promise<SyncPage> {
  const { events, hasMore } = await listEvents(call, eventTypes, { ending_before: after });
  const newest = events[0]?.id ?? after;
  const records = await recordsOf(call, events.toReversed());
  return { records, cursor: { after: newest }, isLast: !hasMore || newest === after };
}

// https://docs.stripe.com/api/events/list and https://docs.stripe.com/api/pagination
async function listEvents(
  call: Call,
  eventTypes: readonly string[],
  position: Record<string, string>,
): Promise<{ events: StripeEvent[]; hasMore: boolean }> {
  const query = new URLSearchParams({ limit: String(pageSize), ...position });
  for (const type of eventTypes) query.append('types[]', type);
  const { body } = await call({ url: `${base}/events?${query}`, headers }).catch((error: unknown) => {
    // Stripe does not find an event that is older than 30 days.
    if (error instanceof CallError && errorCodeOf(error) === 'resource_missing')
      throw new CursorExpiredError('Stripe does not list the last event any more');
    throw error;
  });
  const { data: list } = List.safeParse(body);
  if (!list) throw new CallError('provider_unavailable');
  const events = list.data.slice(0, pageSize).flatMap((item) => Event.safeParse(item).data ?? []);
  return { events, hasMore: list.has_more };
}

/** The records of events, without updates that change nothing that a note would name. */
async function recordsOf(call: Call, events: readonly StripeEvent[]): Promise<ActivityRecord[]> {
  const addresses = new Map<string, Promise<string | null>>();
  const records: ActivityRecord[] = [];
  for (const event of events.filter(isWorthNoting))
    records.push({
      kind: 'activity',
      id: event.id,
      version: String(event.created),
      source: { ...event },
      leadEmail: await addressOf(call, event, addresses),
      fields: {
        subject: noteOf(event),
        body: null,
        occurredAt: new Date(event.created * 1_000).toISOString(),
      },
    });
  return records;
}

/** The address of the customer of an event, which only invoices name. */
async function addressOf(
  call: Call,
  { data: { object } }: StripeEvent,
  known: Map<string, Promise<string | null>>,
): Promise<string | null> {
  const own = textIn(object, 'customer_email');
  if (own !== null) return own;
  const id = textIn(object, 'customer') ?? textIn(object['customer'], 'id');
  if (id === null || !/^[\w-]+$/.test(id)) return null;
  const address = known.get(id) ?? readAddress(call, id);
  known.set(id, address);
  return address;
}

// https://docs.stripe.com/api/customers/retrieve: a deleted customer has no address.
async function readAddress(call: Call, id: string): Promise<string | null> {
  const found: CallAnswer | undefined = await call({ url: `${base}/customers/${id}`, headers }).catch(
    (error: unknown) => {
      if (error instanceof CallError && error.failure === 'status_404') return undefined;
      throw error;
    },
  );
  return textIn(found?.body, 'email');
}

// https://docs.stripe.com/error-codes
function errorCodeOf({ body }: CallError): string | null {
  return textIn((body as { error?: unknown } | null | undefined)?.error, 'code');
}
