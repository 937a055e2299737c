import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createResolve, createTarget, type Resolve } from '@tandem/outgoing';
import { receiver } from '../testing.ts';
import { createSender } from './send.ts';

describe('sending', () => {
  let port: number;
  let hits = 0;
  const server = http.createServer((_, response) => {
    hits += 1;
    response.end();
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  const send = (resolve: Resolve, url: string) => {
    const guarded = createTarget({ allowPrivate: false, resolve });
    // Removes the port of the test server, which the rules do not allow; only addresses are tested here.
    const target = {
      ...guarded,
      urlError: (address: string, environment: string) =>
        guarded.urlError(address.replace(`:${port}`, ''), environment),
    };
    return createSender({ target, timeoutMs: 15_000 }).send({
      url,
      environment: 'sandbox',
      headers: [],
      body: Buffer.from('{}'),
    });
  };

  it('does not connect to a name that is public at the check and private on connect', async () => {
    const answers = [[{ address: '93.184.216.34', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
    const rebinding: Resolve = async () => answers.shift() ?? [{ address: '127.0.0.1', family: 4 }];
    const url = `http://rebind.example.com:${port}/`;
    const guarded = createTarget({ allowPrivate: false, resolve: rebinding });
    expect(await guarded.resolvedUrlError('http://rebind.example.com/', 'sandbox')).toBeUndefined();
    expect(await send(rebinding, url)).toMatchObject({ error: 'blocked_address', statusCode: null });
    expect(hits).toBe(0);
  });

  it('does not connect when one of several addresses is private', async () => {
    const mixed: Resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await send(mixed, `http://mixed.example.com:${port}/`)).toMatchObject({ error: 'blocked_address' });
    expect(hits).toBe(0);
  });

  it('does not connect to a private address literal, which needs no lookup', async () => {
    expect(await send(async () => [], `http://127.0.0.1:${port}/`)).toMatchObject({ error: 'blocked_address' });
    expect(hits).toBe(0);
  });

  it('reports dns when a name has no address', async () => {
    const none: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await send(none, `http://nowhere.example.com:${port}/`)).toMatchObject({ error: 'dns', statusCode: null });
  });
});

it('does not connect to a name that resolves to a metadata address, when private targets are allowed', async () => {
  const resolve: Resolve = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '::ffff:169.254.169.254', family: 6 },
  ];
  const target = createTarget({ allowPrivate: true, resolve });
  const sent = createSender({ target, timeoutMs: 15_000 }).send({
    url: 'http://metadata.google.internal/',
    environment: 'sandbox',
    headers: [],
    body: Buffer.from('{}'),
  });
  expect(await sent).toMatchObject({ error: 'blocked_address', statusCode: null });
});

it('connects to a name of the hosts file only when private targets are allowed', async () => {
  const hook = await receiver(200);
  const { port } = new URL(hook.url);
  const resolve = createResolve({ hosts: '127.0.0.1 receiver.test' });
  const message = { environment: 'live', headers: [], body: Buffer.from('{}') };
  const send = (allowPrivate: boolean, url: string) =>
    createSender({ target: createTarget({ allowPrivate, resolve }), timeoutMs: 15_000 }).send({ ...message, url });
  for (const name of ['receiver.test', 'localhost'])
    expect(await send(true, `http://${name}:${port}/hook`)).toMatchObject({ error: null, statusCode: 200 });
  expect(await send(false, 'https://receiver.test/hook')).toMatchObject({ error: 'blocked_address' });
  expect(hook.requests).toHaveLength(2);
  await hook.close();
});
