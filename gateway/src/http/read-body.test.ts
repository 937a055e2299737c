import type { IncomingMessage } from 'node:http';
import { readBody } from './read-body.ts';

it.each([
  [{ 'content-type': 'text/plain' }, 'Send the request body as application/json'],
  [{}, 'Send the request body as application/json'],
  [{ 'content-type': 'application/json; charset=latin1' }, 'Send the request body as application/json in UTF-8'],
  [
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    'Send the request body uncompressed, without Content-Encoding',
  ],
])('a body with %j is refused with the reason', async (headers, message) => {
  const request = { headers: { 'content-length': '2', ...headers } } as IncomingMessage;
  await expect(readBody(request, 100)).rejects.toMatchObject({ status: 415, message });
});
