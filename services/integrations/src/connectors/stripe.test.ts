import { closingCalls, syncOf } from './connector.test-service.ts';
import { CallError } from './connector.ts';
import { anInvoice, aSubscription, startStripe } from './stripe.test-service.ts';
import { stripe } from './stripe.ts';
import { CursorExpiredError, type ExternalRecord } from './sync.ts';

type ActivityRecord = Extract<ExternalRecord, { kind: 'activity' }>;

const localCall = closingCalls();
let server: Awaited<ReturnType<typeof startStripe>>;
let ada: string;
beforeEach(async () => {
  server = await startStripe();
  ada = server.customer('ada@example.com');
});
afterEach(() => server.close());

const connect = (apiKey = 'sk_test_valid') => syncOf(stripe, { call: localCall(stripe, { apiKey }, server.url) });
const idsOf = (records: ExternalRecord[]) => records.map(({ id }) => id);
const notesOf = (records: ExternalRecord[]) => (records as ActivityRecord[]).map(({ fields }) => fields.subject);
const addressesOf = (records: ExternalRecord[]) => (records as ActivityRecord[]).map(({ leadEmail }) => leadEmail);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof CallError ? error.failure : error),
  );
const paid = (at?: Date) => server.event('invoice.paid', anInvoice(ada), { ...(at && { at }) });

describe('the sync', () => {
  it('reads all events of the last 30 days, and later the new ones from the oldest to the newest', async () => {
    paid(daysAgo(31));
    const before = Array.from({ length: 60 }, (_, index) => paid(daysAgo(29 - index / 3)));
    const sync = connect();
    const first = await sync.run(null);
    expect(first.pages.map(({ length }) => length)).toEqual([25, 25, 10]);
    expect(new Set(idsOf(first.records))).toEqual(new Set(before));
    const after = Array.from({ length: 30 }, () => paid());
    const second = await sync.run(first.cursor);
    expect(idsOf(second.records)).toEqual(after);
    expect(second.pages.map(({ length }) => length)).toEqual([25, 5]);
    expect((await sync.run(second.cursor)).records).toEqual([]);
  });

  it('does not miss what happens during the first run, or before there is an event', async () => {
    const sync = connect();
    const empty = await sync.run(null);
    const first = paid();
    const begun = await sync.run(empty.cursor);
    expect(idsOf(begun.records)).toEqual([first]);
    for (let count = 0; count < 30; count++) paid();
    const page = await sync.read(null);
    const late = paid();
    const rest = await sync.run(page.cursor);
    expect(idsOf((await sync.run(rest.cursor)).records)).toEqual([late]);
  });

  it('reads only the types of the settings, with the version of the API that it knows', async () => {
    paid();
    const failed = server.event('invoice.payment_failed', anInvoice(ada));
    server.event('customer.created', { id: ada });
    const { records } = await connect().run(null, { eventTypes: ['invoice.payment_failed'] });
    expect(idsOf(records)).toEqual([failed]);
    expect(server.requests.every(({ version }) => version === '2024-06-20')).toBe(true);
  });

  it('begins again when Stripe does not list the last event any more', async () => {
    paid();
    const sync = connect();
    const { cursor } = await sync.run(null);
    server.forgetEvents();
    await expect(sync.run(cursor)).rejects.toBeInstanceOf(CursorExpiredError);
  });
});

it.each([
  ['customer.subscription.created', { status: 'trialing' }, 'Stripe: subscription Pro was created and is trialing'],
  ['customer.subscription.updated', { status: 'past_due' }, 'Stripe: subscription Pro is past_due'],
  [
    'customer.subscription.updated',
    { cancel_at_period_end: true },
    'Stripe: subscription Pro is active and ends with its period',
  ],
  ['customer.subscription.deleted', { items: null }, 'Stripe: the subscription has ended'],
  ['customer.subscription.deleted', { items: {}, plan: { nickname: 'Old' } }, 'Stripe: subscription Old has ended'],
  ['invoice.paid', {}, 'Stripe: invoice 0042 over 49.00 EUR was paid'],
  ['invoice.paid', { currency: 'jpy' }, 'Stripe: invoice 0042 over 4900 JPY was paid'],
  ['invoice.paid', { currency: 'kwd' }, 'Stripe: invoice 0042 over 4.900 KWD was paid'],
  ['invoice.payment_failed', { number: null }, 'Stripe: the payment of invoice in_1 over 49.00 EUR failed'],
  ['invoice.payment_failed', { amount_due: 'x', currency: 7 }, 'Stripe: the payment of invoice 0042 failed'],
] as const)('writes %s with %j', async (type, fields, note) => {
  const object = type.startsWith('invoice') ? anInvoice(ada, fields) : aSubscription(ada, fields);
  server.event(type, object);
  const { records } = await connect().run(null);
  expect([notesOf(records), addressesOf(records)]).toEqual([[note], ['ada@example.com']]);
});

it('leaves out updates that a note would not name', async () => {
  const update = (previous?: unknown) =>
    server.event('customer.subscription.updated', aSubscription(ada), { ...(previous !== undefined && { previous }) });
  update({ current_period_end: 1, latest_invoice: 'in_0' });
  const noted = [update({ status: 'past_due' }), update()];
  expect(new Set(idsOf((await connect().run(null)).records))).toEqual(new Set(noted));
});

it('asks for the address of each customer once, and has none for those that are gone', async () => {
  const [deleted, unknown] = [server.customer('eve@example.com'), 'cus_unknown'];
  server.deleteCustomer(deleted);
  for (const customer of [ada, ada, deleted, unknown, '../balance'])
    server.event('customer.subscription.deleted', aSubscription(customer));
  server.event('customer.subscription.deleted', aSubscription(ada, { customer: { id: ada } }));
  const { records } = await connect().run(null);
  expect(addressesOf(records)).toEqual(['ada@example.com', 'ada@example.com', null, null, null, 'ada@example.com']);
  const asked = server.requests.map(({ url }) => url.pathname).filter((path) => path.startsWith('/v1/customers/'));
  expect(asked.toSorted()).toEqual([`/v1/customers/${ada}`, `/v1/customers/${deleted}`, `/v1/customers/${unknown}`]);
});

it('leaves out events in another form than documented, and cuts texts', async () => {
  const price = { nickname: `\0${'x'.repeat(100_000)}\r\n` };
  const long = server.event('customer.subscription.deleted', aSubscription(ada, { items: { data: [{ price }] } }));
  const data = [null, 7, { id: 'x' }, { id: 'evt_9', type: 'invoice.paid', created: 'now', data: {} }];
  const valid = { id: 'evt_8', type: 'invoice.paid', created: 1_000_000_000, data: { object: { currency: [] } } };
  const sync = connect();
  const { records, cursor } = await sync.run(null);
  expect(idsOf(records)).toEqual([long]);
  expect(notesOf(records)[0]).toMatch(/^Stripe: subscription x+ has ended$/);
  expect(notesOf(records)[0]?.length).toBeLessThanOrEqual(200);
  server.reply('/v1/events', { body: { object: 'list', data: [...data, valid], has_more: false } });
  expect(notesOf((await sync.run(cursor)).records)).toEqual(['Stripe: invoice was paid']);
  server.reply('/v1/events', { body: { data: 'x' } });
  expect(await failureOf(sync.run(cursor))).toBe('provider_unavailable');
});

it('ends when Stripe repeats the same page', async () => {
  paid();
  const sync = connect();
  const { cursor } = await sync.run(null);
  server.reply('/v1/events', { body: { object: 'list', data: [], has_more: true } });
  expect((await sync.run(cursor)).cursor).toEqual(cursor);
});

it.each([
  ['a wrong key', 401, 'credentials_rejected'],
  ['a key without the permission', 403, 'status_403'],
  ['too many requests', 429, 'provider_unavailable'],
  ['an outage', 500, 'provider_unavailable'],
])('reports %s', async (_, status, failure) => {
  server.reply('/v1/events', { status, body: { error: { type: 'api_error' } } });
  expect(await failureOf(connect().run(null))).toBe(failure);
});

it.each([[{ eventTypes: [] }], [{ eventTypes: ['charge.succeeded'] }], [{ eventTypes: '*' }]])(
  'refuses the settings %j',
  (settings) => {
    expect(stripe.settings?.safeParse(settings).success).toBe(false);
  },
);
