import { base, handlers, json, useThings } from './things.test-service.ts';

useThings();

const path = '/v1/things/reports';
const received: { body: Buffer; headers: Record<string, unknown> }[] = [];
beforeAll(() => {
  handlers[path] = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ body: Buffer.concat(chunks), headers: request.headers });
    json(response, { success: true, data: {} });
  };
});
beforeEach(() => void received.splice(0));

const send = (body: BodyInit, headers: Record<string, string>) => fetch(base + path, { method: 'POST', body, headers });

describe('an operation that takes the bytes of a body', () => {
  it.each([
    ['text/plain; charset=UTF-8', '{ "Type" :"Notification"}'],
    ['application/x-www-form-urlencoded', 'Body=Stop&From=%2B49'],
    ['application/json', '{ "a" : 1.0 }'],
  ])('gets them unchanged as %s, with the headers that it declares', async (type, body) => {
    const reply = await send(body, { 'content-type': type, 'x-signature': 'abc', 'x-other': 'x' });
    expect(reply.status).toBe(200);
    expect(String(received[0]?.body)).toBe(body);
    expect(received[0]?.headers).toMatchObject({ 'content-type': type, 'x-signature': 'abc' });
    expect(received[0]?.headers).not.toHaveProperty('x-other');
  });

  it('gets bytes that are no text', async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect((await send(bytes, { 'content-type': 'message/rfc822' })).status).toBe(200);
    expect(received[0]?.body).toEqual(bytes);
  });

  it('refuses a body that is too large, or compressed', async () => {
    expect((await send('x'.repeat(1_001), { 'content-type': 'text/plain' })).status).toBe(413);
    const compressed = await send('x', { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    expect(compressed.status).toBe(415);
    expect(received).toEqual([]);
  });
});
