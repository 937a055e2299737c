import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalUsers } from '@tandem/identity-contract';
import { until } from '@tandem/testing';
import { permissionsOfUsers } from './permissions-of.ts';

const requests: http.ServerResponse[] = [];
const identity = http.createServer((_, response) => void requests.push(response));
beforeAll(() => new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  identity.closeAllConnections();
  return new Promise((resolve) => identity.close(resolve));
});

it('keeps a newer answer when an older request fails after it', async () => {
  let now = 0;
  const client = createServiceClient({
    operations: internalUsers,
    baseUrl: `http://127.0.0.1:${(identity.address() as AddressInfo).port}`,
    service: 'integrations',
    signer: createCallerSigner(`k1:${'a'.repeat(32)}`),
  });
  const permissionsOf = permissionsOfUsers(client, () => now);
  const ask = () => permissionsOf({ tenantId: 1, environment: 'live', userId: 1 });
  const older = ask();
  await until('the older request arrives', () => requests.length === 1);
  now += 6_000;
  const newer = ask();
  await until('the newer request arrives', () => requests.length === 2);
  requests[1]?.end(JSON.stringify({ data: { permissions: ['leads:read'] } }));
  expect(await newer).toEqual(['leads:read']);
  requests[0]?.writeHead(500).end('{}');
  await expect(older).rejects.toThrow('500');
  expect(ask()).toBe(newer);
});
