// A local Stripe API: events and customers (https://docs.stripe.com/api).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Event {
  id: string;
  object: 'event';
  type: string;
  created: number;
  data: { object: unknown; previous_attributes?: unknown };
}
type Reply = { status?: number; body?: unknown };

/** Starts the API. It answers with 401 unless the key is `sk_test_valid`. */
export async function startStripe() {
  const events: Event[] = [];
  const customers = new Map<string, object>();
  const requests: { url: URL; version: string | undefined }[] = [];
  const scripted = new Map<string, Reply[]>();
  const missing = (param: string, id: string): Reply => ({
    status: param === 'id' ? 404 : 400,
    body: {
      error: { code: 'resource_missing', message: `No such object: '${id}'`, param, type: 'invalid_request_error' },
    },
  });

  function listEvents(query: URLSearchParams): Reply {
    const types = query.getAll('types[]');
    if (types.length > 20) return { status: 400, body: { error: { type: 'invalid_request_error' } } };
    const since = Number(query.get('created[gte]') ?? 0);
    const limit = Number(query.get('limit') ?? 10);
    // The newest first, always.
    const all = events.filter(({ type, created }) => types.includes(type) && created >= since).toReversed();
    const position = (id: string) => {
      const reference = events.findIndex((event) => event.id === id);
      return reference < 0 ? undefined : all.filter((event) => events.indexOf(event) > reference).length;
    };
    const [after, before] = [query.get('starting_after'), query.get('ending_before')];
    if (after !== null) {
      const newer = position(after);
      if (newer === undefined) return missing('starting_after', after);
      const rest = all.slice(newer + (all[newer]?.id === after ? 1 : 0));
      return list(rest.slice(0, limit), rest.length > limit);
    }
    if (before !== null) {
      const newer = position(before);
      if (newer === undefined) return missing('ending_before', before);
      // The page that directly precedes the event in the list.
      return list(all.slice(Math.max(0, newer - limit), newer), newer > limit);
    }
    return list(all.slice(0, limit), all.length > limit);
  }

  function answer(url: URL): Reply {
    const next = scripted.get(url.pathname)?.shift();
    if (next) return next;
    if (url.pathname === '/v1/balance') return { body: { object: 'balance', livemode: false } };
    if (url.pathname === '/v1/events') return listEvents(url.searchParams);
    const id = url.pathname.slice('/v1/customers/'.length);
    const customer = customers.get(id);
    return customer ? { body: customer } : missing('id', id);
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url as string, 'http://localhost');
    requests.push({ url, version: request.headers['stripe-version'] as string | undefined });
    const isValid = request.headers.authorization === 'Bearer sk_test_valid';
    const { status = 200, body } = isValid
      ? answer(url)
      : { status: 401, body: { error: { type: 'invalid_request_error' } } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Adds a customer; returns its id. */
    customer(email: string | null): string {
      const id = `cus_${customers.size + 1}`;
      customers.set(id, { id, object: 'customer', email });
      return id;
    },
    deleteCustomer: (id: string) => void customers.set(id, { id, object: 'customer', deleted: true }),
    /** Adds an event; returns its id. */
    event(
      type: string,
      object: unknown,
      { at = new Date(), previous }: { at?: Date; previous?: unknown } = {},
    ): string {
      const id = `evt_${events.length + 1}`;
      const data = { object, ...(previous !== undefined && { previous_attributes: previous }) };
      events.push({ id, object: 'event', type, created: Math.floor(at.getTime() / 1_000), data });
      return id;
    },
    /** Forgets all events, as Stripe does after 30 days. */
    forgetEvents: () => void events.splice(0),
    reply: (path: string, ...replies: Reply[]) => void scripted.set(path, replies),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function list(data: Event[], hasMore: boolean): Reply {
  return { body: { object: 'list', url: '/v1/events', data, has_more: hasMore } };
}

/** A subscription, as events contain it. */
export const aSubscription = (customer: string, fields: object = {}) => ({
  ...{ id: 'sub_1', object: 'subscription', customer, status: 'active', cancel_at_period_end: false },
  items: { object: 'list', data: [{ id: 'si_1', price: { id: 'price_1', nickname: 'Pro' } }] },
  ...fields,
});

/** An invoice, as events contain it. */
export const anInvoice = (customer: string, fields: object = {}) => ({
  ...{ id: 'in_1', object: 'invoice', customer, customer_email: 'ada@example.com', number: '0042' },
  ...{ currency: 'eur', amount_due: 4900, amount_paid: 4900 },
  ...fields,
});
