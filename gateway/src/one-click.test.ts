import { text } from 'node:stream/consumers';
import { base, handlers, json, useThings } from './things.test-service.ts';

useThings();

const path = '/v1/things/one-click';
const bodies: string[] = [];
beforeAll(() => {
  handlers[path] = async (request, response) => {
    bodies.push(await text(request));
    json(response, { success: true, data: {} });
  };
});
beforeEach(() => void bodies.splice(0));

const send = (init: RequestInit, to = path) => fetch(base + to, { method: 'POST', ...init });

describe('an operation that ignores other media', () => {
  it.each<[string, RequestInit]>([
    ['a form', { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }],
    [
      'a multipart form',
      {
        body: (() => {
          const form = new FormData();
          form.set('List-Unsubscribe', 'One-Click');
          return form;
        })(),
      },
    ],
    ['a text', { body: 'List-Unsubscribe=One-Click', headers: { 'content-type': 'text/plain' } }],
    ['no body', {}],
  ])('gets %s as no body', async (_, init) => {
    expect((await send(init)).status).toBe(200);
    expect(bodies).toEqual(['']);
  });

  it('gets JSON, and rejects JSON that cannot be read', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await send({ body: '{"all":true}', headers })).status).toBe(200);
    expect((await send({ body: '{', headers })).status).toBe(400);
    expect(bodies).toEqual(['{"all":true}']);
  });

  it('is an exception: other operations refuse a form', async () => {
    expect((await send({ body: new URLSearchParams({ a: 'b' }) }, '/v1/things/notes')).status).toBe(415);
  });
});
