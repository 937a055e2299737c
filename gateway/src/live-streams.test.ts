import { until } from '@tandem/testing';
import jsonwebtoken from 'jsonwebtoken';
import {
  base,
  gateway,
  handlers,
  ids,
  json,
  limits,
  principal,
  privateKey,
  publicKey,
  seen,
  useThings,
} from './things.test-service.ts';

useThings();

let isSignedIn = true;
let openUpstream = 0;
beforeAll(() => {
  handlers['/.well-known/jwks.json'] = (_, response) =>
    json(response, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }] });
  handlers['/internal/sessions/resolve'] = (_, response) =>
    isSignedIn
      ? json(response, { data: { ...principal, partnerId: null, portalUserId: null, limits } })
      : json(response, {}, 404);
  handlers['/v1/things/events'] = (_, response) => {
    openUpstream++;
    response.once('close', () => openUpstream--);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\nevent: unread\ndata: {}\n\n');
  };
});
beforeEach(() => {
  isSignedIn = true;
});

const token = () => {
  const claims = { sub: 'u', tid: ids.encode('tenant', 7, 7), sid: ids.encode('session', 7, 3), aud: 'platform' };
  return jsonwebtoken.sign(claims, privateKey, { algorithm: 'RS256', keyid: 'k1', issuer: 'tandem', expiresIn: 900 });
};

async function openStream(headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const response = await fetch(`${base}/v1/things/events`, {
    headers: { authorization: `Bearer ${token()}`, 'x-tenant-id': ids.encode('tenant', 7, 7), ...headers },
    signal: stop.signal,
  });
  const stream = { response, text: '', end: undefined as 'closed' | 'broken' | undefined, close: () => stop.abort() };
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) stream.text += decoder.decode(chunk);
  })().then(
    () => {
      stream.end = 'closed';
    },
    () => {
      stream.end = 'broken';
    },
  );
  return stream;
}

describe('a stream of events', () => {
  it('arrives unbuffered, and the service gets Last-Event-ID and learns when the client disconnects', async () => {
    const stream = await openStream({ 'last-event-id': '41' });
    await until('the first event arrives', () => stream.text.includes('event: unread'));
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    expect(seen.at(-1)?.headers['last-event-id']).toBe('41');
    stream.close();
    await until('the service has no open stream', () => openUpstream === 0);
  });

  it('ends when the credential ends', async () => {
    const stream = await openStream();
    await until('the first event arrives', () => stream.text.includes('event: unread'));
    isSignedIn = false;
    await until('the stream ends', () => stream.end);
    expect(stream.end).toBe('closed');
    await until('the service has no open stream', () => openUpstream === 0);
  });

  // The last test: the gateway accepts no request afterwards.
  it('ends when the gateway stops, which does not wait for it', async () => {
    // The gateway remembers for two seconds that the session of the last test had ended.
    const stream = await until('the stream is open', async () => {
      const opened = await openStream();
      return opened.response.status === 200 && opened;
    });
    await until('the first event arrives', () => stream.text.includes('event: unread'));
    await gateway.drain.stopServer(gateway.server, { delayMs: 0, log: gateway.log }).run();
    await until('the stream ends', () => stream.end);
    expect(stream.end).toBe('closed');
  });
});
