import { connect } from 'node:net';
import { idInText } from '@tandem/contract';
import { until } from '@tandem/testing';
import { base, gateway, handlers, ids, json, seen, useThings } from './things.test-service.ts';

useThings();

describe('a service of another release', () => {
  it('may return unknown fields, which the gateway removes if they may contain ids', async () => {
    handlers['/v1/things/slow'] = (_, response) => {
      response.setHeader('x-id-paths', 'another');
      json(response, { data: { teamId: '7' }, message: 'kept' });
    };
    const response = await fetch(`${base}/v1/things/slow`);
    expect([response.status, await response.json()]).toEqual([200, { data: {}, message: 'kept' }]);
    expect(response.headers.get('x-id-paths')).toBeNull();
  });
});

describe('a service', () => {
  const status = async (path: string) => {
    const response = await fetch(`${base}${path}`);
    return [response.status, ((await response.json()) as { code: string }).code, response.headers.get('retry-after')];
  };

  it('that is too slow causes 504', async () => {
    handlers['/v1/things/slow'] = () => {};
    expect(await status('/v1/things/slow')).toEqual([504, 'upstream_timeout', '1']);
  });

  it('gets at most 100 query parameters', async () => {
    handlers['/v1/things/searched'] = (_, response) => json(response, { data: {} });
    const search = (count: number) =>
      `/v1/things/searched?${Array.from({ length: count - 1 }, (_, index) => `p${index}=`).join('&')}&status=new`;
    expect((await fetch(base + search(100))).status).toBe(200);
    const before = seen.length;
    const refused = await fetch(base + search(101));
    const { errors } = (await refused.json()) as { errors: unknown };
    expect([refused.status, errors, seen.length]).toEqual([
      422,
      [{ field: 'query', message: 'Must have at most 100 parameters' }],
      before,
    ]);
  });

  it('that streams a file gets at most 100 query parameters', async () => {
    const query = Array.from({ length: 101 }, (_, index) => `p${index}=`).join('&');
    expect(await status(`/v1/things/export?${query}`)).toEqual([422, 'validation_failed', null]);
  });

  it('that puts an id into an error message has it encoded', async () => {
    const message = `Was converted before, to ${idInText('opportunity', 12)}`;
    handlers['/v1/things/broken'] = (_, response) => {
      response.setHeader('x-ctx-tenant', '7');
      json(response, { errors: [{ field: 'leadId', message }] }, 409);
    };
    const { errors } = (await (await fetch(`${base}/v1/things/broken`)).json()) as { errors: { message: string }[] };
    expect(errors[0]?.message).toBe(`Was converted before, to ${ids.encode('opportunity', 7, 12)}`);
  });

  it('that sends an invalid response causes 502', async () => {
    handlers['/v1/things/broken'] = (_, response) => response.writeHead(200).end('<html>');
    expect(await status('/v1/things/broken')).toEqual([502, 'bad_gateway', null]);
  });

  it('that drops a connection receives a GET once more', async () => {
    let flakes = 0;
    handlers['/v1/things/flaky'] = (request, response) =>
      flakes++ ? json(response, { data: {} }) : request.socket.destroy();
    expect((await fetch(`${base}/v1/things/flaky`)).status).toBe(200);
    expect(flakes).toBe(2);
  });
});

describe('hostile connections', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port } = new URL(base);
      const socket = connect(Number(port), hostname);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('close', () => resolve(received.split('\r\n')[0] ?? ''));
      socket.on('error', () => resolve('reset'));
      socket.write(text);
    });
  it.each([
    ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /v1/things/1/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n'],
    ['no request at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['a bare line feed in the request line', 'GET / HTTP/1.1\nHost: a\n\n'],
  ])('with %s receive 400 and reach no service', async (_, text) => {
    const before = seen.length;
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen.length).toBe(before);
  });
});

it('records a request with a truncated body as refused, not as served', async () => {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const head =
    'POST /v1/things/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n';
  await new Promise((resolve) => socket.write(`${head}{`, resolve));
  await new Promise<void>((resolve) => gateway.ops.listen(0, '127.0.0.1', resolve));
  const { port: opsPort } = gateway.ops.address() as { port: number };
  socket.destroy();
  const line = await until('the request is recorded', async () => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    return text.split('\n').find((one) => one.startsWith('tandem_requests_total') && one.includes('operation="note"'));
  });
  gateway.ops.close();
  expect(line).toContain('status="400"');
});
