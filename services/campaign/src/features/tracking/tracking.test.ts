import type { campaign } from '@tandem/campaign-contract';
import { createSeal } from '@tandem/sealed';
import { type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { trackingLinks } from './tracking-links.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

const links = trackingLinks(createSeal(process.env.ENCRYPTION_KEY as string), '');
const person = 'Mozilla/5.0 (Macintosh) Mail';
const tokenOf = (url: string) => url.split('/').at(-1) as string;

/** A tenant with messages that were sent an hour ago. */
async function sentMessages(count: number) {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const rows = await service.sqlWithin(
    api.caller,
    `INSERT INTO message (node_id, lead_id, channel, recipient, status, sent_at, updated_at)
     SELECT 'one', n, 'email', 'a@example.com', 'sent', now() - interval '1 hour', now() FROM generate_series(1, ${count}) n
     RETURNING id::int AS id`,
  );
  const ids = rows.map(({ id }) => Number(id));
  return { api, keys: ids.map((messageId) => ({ tenantId, environment: 'live' as const, messageId })) };
}

const openedOf = async (api: ReturnType<typeof service.as>) =>
  (await service.sqlWithin(api.caller, 'SELECT 1 FROM message WHERE opened_at IS NOT NULL')).length;

it('opens that arrive together are each recorded before they are answered, also of two tenants', async () => {
  const [one, other] = [await sentMessages(30), await sentMessages(30)];
  await Promise.all(
    [one, other].flatMap(({ api, keys }) =>
      keys.map(async (key) => {
        const open = { params: { token: tokenOf(links.pixelUrl(key)) } };
        const reply = await service.send(
          service.operations.trackOpen,
          open,
          service.as({ type: 'anonymous', permissions: [], userAgent: person }).caller,
        );
        expect(reply.status).toBe(200);
        const [row] = await service.sqlWithin(api.caller, 'SELECT opened_at FROM message WHERE id = $1', [
          key.messageId,
        ]);
        expect(row?.['opened_at']).not.toBeNull();
      }),
    ),
  );
  expect([await openedOf(one.api), await openedOf(other.api)]).toEqual([30, 30]);
});

it('a scanner that follows every link and loads the pixel leaves the figures of people as they are', async () => {
  const { api, keys } = await sentMessages(1);
  const [key] = keys as [(typeof keys)[number]];
  const caller = service.as({ type: 'anonymous', permissions: [], userAgent: 'Barracuda scanner' }).caller;
  await service.send(service.operations.trackOpen, { params: { token: tokenOf(links.pixelUrl(key)) } }, caller);
  const click = { params: { token: tokenOf(links.clickUrl(key, 'https://example.com/offer')) } };
  const reply = await service.send(service.operations.trackClick, click, caller);
  expect(reply.headers['location']).toBe('https://example.com/offer');
  await until('both are stored as automated', async () => {
    const rows = await service.sqlWithin(api.caller, 'SELECT 1 FROM engagement WHERE automated');
    return rows.length === 2;
  });
  expect((await api.listMessages()).data).toMatchObject([{ openedAt: null, clickedAt: null }]);
});

it.each([
  ['https://example.com/\u2603', 'https://example.com/%E2%98%83'],
  ['https://example.com/a\nSet-Cookie:x=1', 'https://example.com/aSet-Cookie:x=1'],
  ['https://b\u00fccher.example/?q=\u00fc', 'https://xn--bcher-kva.example/?q=%C3%BC'],
])('a click on %j leads to the address as a header can have it', async (url, location) => {
  const { keys } = await sentMessages(1);
  const click = { params: { token: tokenOf(links.clickUrl(keys[0] as (typeof keys)[number], url)) } };
  const caller = service.as({ type: 'anonymous', permissions: [], userAgent: person }).caller;
  const reply = await service.send(service.operations.trackClick, click, caller);
  expect([reply.status, reply.headers['location']]).toEqual([302, location]);
});

it('counts a link that is opened again and again within a minute as one event, and a person after a scanner', async () => {
  const { api, keys } = await sentMessages(1);
  const [key] = keys as [(typeof keys)[number]];
  const send = (operation: 'trackOpen' | 'trackClick', url: string, userAgent: string) => {
    const caller = service.as({ type: 'anonymous', permissions: [], userAgent }).caller;
    return service.send(service.operations[operation], { params: { token: tokenOf(url) } }, caller);
  };
  const click = links.clickUrl(key, 'https://example.com/offer');
  await send('trackClick', click, 'Barracuda scanner');
  for (let round = 0; round < 5; round++) {
    const sent = Array.from({ length: 8 }, () => [
      send('trackClick', click, person),
      send('trackOpen', links.pixelUrl(key), person),
    ]);
    const replies = await Promise.all(sent.flat());
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([302, 200]));
  }
  await send('trackClick', links.clickUrl(key, 'https://example.com/other'), person);
  const rows = await service.sqlWithin(api.caller, 'SELECT type, automated, url FROM engagement');
  const countOf = (type: string, automated: boolean, url: string | null) =>
    rows.filter((row) => row['type'] === type && row['automated'] === automated && row['url'] === url).length;
  expect(countOf('link_click', true, 'https://example.com/offer')).toBe(1);
  expect(countOf('link_click', false, 'https://example.com/other')).toBe(1);
  // Two if a minute began meanwhile.
  for (const [type, url] of [
    ['link_click', 'https://example.com/offer'],
    ['email_open', null],
  ] as const) {
    const count = countOf(type, false, url);
    expect(count).toBeGreaterThanOrEqual(1);
    expect(count).toBeLessThanOrEqual(2);
  }
  const eventsOf = () =>
    service.events.filter(({ name, tenantId }) => name === 'message.engaged' && tenantId === api.caller.tenantId);
  await until('the events arrive', () => eventsOf().length >= rows.length);
  expect(eventsOf().length).toBe(rows.length);
});
