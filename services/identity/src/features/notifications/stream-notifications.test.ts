import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { createIdCodec } from '@tandem/ids';
import { testSettings, until } from '@tandem/testing';
import { aTenant, type Service, secrets, startIdentity } from '../../identity.test-service.ts';
import { streamsPerUserMax } from './stream-slots.ts';

const ids = createIdCodec(secrets.IDS_ALPHABET);
const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
const path = '/v1/notifications/stream';

let instances: { service: Service; server: Server }[] = [];
beforeAll(async () => {
  const settings = await testSettings('identity');
  // The second instance shares only the database, RabbitMQ and Redis with the first one.
  for (const shared of [settings, { ...settings, drop: async () => {} }]) {
    const service = await startIdentity({}, shared);
    const server = createServer(service.app).listen(0, '127.0.0.1');
    instances.push({ service, server });
  }
});
afterAll(async () => {
  for (const { service, server } of instances.toReversed()) {
    server.closeAllConnections();
    server.close();
    await service.close();
  }
  instances = [];
});

interface Event {
  id: number;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects.
  data: any;
}

/** Opens a stream at an instance and collects its events. */
async function openStream(instance: number, caller: Caller, headers: Record<string, string> = {}, query = '') {
  const { port } = (instances[instance] as { server: Server }).server.address() as AddressInfo;
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}${path}${query}`, {
    headers: { [callerHeader]: signer.sign(caller, 'GET', path), 'x-request-id': 'req_1', ...headers },
    signal: stop.signal,
  });
  const stream = { response, text: '', isOpen: true, close: () => stop.abort() };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array>)
      stream.text += decoder.decode(chunk, { stream: true });
  })()
    .catch(() => {})
    .finally(() => {
      stream.isOpen = false;
    });
  const events = (): Event[] =>
    stream.text.split('\n\n').flatMap((block) => {
      const [, id, name, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return name ? [{ id: Number(id), name, data: JSON.parse(data as string) }] : [];
    });
  const named = (name: string) => events().filter((one) => one.name === name);
  return Object.assign(stream, { events, named });
}

async function aReader() {
  const { service } = instances[0] as { service: Service };
  const tenant = await aTenant(service);
  const member = await tenant.addUser('viewer');
  const me = tenant.as(member.id, ['notifications:read']);
  const receive = async (title: string) => {
    const body = { title, body: 'Text', userIds: [member.id] };
    return (await tenant.owner.createNotification({ body })).data.notifications[0].id as string;
  };
  return { ...tenant, member, me, receive };
}

it('sends new and changed notifications with public ids, and the number of unread ones', async () => {
  const { me, receive, tenantId } = await aReader();
  await receive('before');
  const stream = await openStream(0, me.caller);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await until('the stream has begun', () => stream.named('unread').length === 1);
  expect(stream.text).toMatch(/^retry: \d+\n\n/);
  expect(stream.named('unread')[0]?.data).toEqual({ unread: 1 });
  const id = await receive('new');
  const [created] = await until(
    'it arrives',
    () => stream.named('notification').length === 1 && stream.named('notification'),
  );
  expect(created?.data).toMatchObject({
    id: ids.encode('notification', tenantId, Number(id)),
    title: 'new',
    status: 'delivered',
  });
  await me.readNotification({ params: { id } });
  await until('the change arrives', () => stream.named('notification').at(-1)?.data.status === 'read');
  await until('the count follows', () => stream.named('unread').at(-1)?.data.unread === 1);
  stream.close();
});

it('receives changes that another instance makes', async () => {
  const { me, receive } = await aReader();
  const stream = await openStream(1, me.caller);
  await until('the stream has begun', () => stream.named('unread').length === 1);
  const began = Date.now();
  await receive('from the first instance');
  await until('it arrives', () => stream.named('notification').length === 1);
  // Far less than the interval at which a stream looks by itself.
  expect(Date.now() - began).toBeLessThan(10_000);
  stream.close();
});

it('continues after the last event that a client has, without loss or repetition', async () => {
  const { me, receive } = await aReader();
  const first = await openStream(0, me.caller);
  await receive('one');
  const last = await until('the first one arrives', () => first.named('notification').at(-1));
  first.close();
  // More than a page of the stream; a few at a time, because a busy service refuses requests that wait too long.
  const missed: string[] = [];
  while (missed.length < 110)
    missed.push(...(await Promise.all(Array.from({ length: 5 }, (_, n) => receive(`missed ${n}`)))));
  for (const from of [{ 'last-event-id': String(last.id) }, {}]) {
    const query = 'last-event-id' in from ? '' : `?lastEventId=${last.id}`;
    const stream = await openStream(1, me.caller, from, query);
    await until('all have arrived', () => stream.named('notification').length >= missed.length);
    const positions = stream.named('notification').map(({ id }) => id);
    expect(positions).toEqual(missed.map((_, n) => last.id + 1 + n));
    stream.close();
  }
});

it('refuses more streams of a user than the limit, over all instances, until one is closed', async () => {
  const { me } = await aReader();
  const streams = await Promise.all(Array.from({ length: streamsPerUserMax }, (_, n) => openStream(n % 2, me.caller)));
  for (const instance of [0, 1]) {
    const refused = await openStream(instance, me.caller);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '45']);
    await until('the refusal is there', () => refused.text.includes('too_many_streams'));
  }
  streams[0]?.close();
  const another = await until('a slot is free', async () => {
    const stream = await openStream(1, me.caller);
    return stream.response.status === 200 && stream;
  });
  for (const stream of [...streams, another]) stream.close();
});

it('is for users with the permission only', async () => {
  const { as, member } = await aReader();
  expect((await openStream(0, as(member.id, ['leads:read']).caller)).response.status).toBe(403);
});
