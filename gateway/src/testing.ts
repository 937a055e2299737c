import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Operations } from '@tandem/contract';
import { settingsSchema } from './config.ts';
import { createGateway } from './create-gateway.ts';

export const testAlphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
export const testPepper = 'p'.repeat(32);

/** The principal of an API key, as identity returns it. */
export const testPrincipal = {
  tenantId: '7',
  environment: 'live',
  keyId: '9',
  sessionId: null,
  userId: '5',
  partnerId: null,
  portalUserId: null,
  name: 'Program',
  permissions: ['*'],
  teamIds: [],
  allowedIps: null,
  expiresAt: null,
  limits: { plan: 'enterprise', monthlyCalls: null, ratePerMinute: 100_000, burst: 100_000 },
};

export interface TestGateway {
  server: Server;
  base: string;
  port: number;
  close(): Promise<void>;
}

/** Starts a gateway whose services are all served by one HTTP server with `respond` as its request handler. */
export async function startTestGateway(
  services: Record<string, Operations>,
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  settings: Record<string, unknown> = {},
): Promise<TestGateway> {
  const service = createServer(respond);
  const origin = `http://127.0.0.1:${await listen(service)}`;
  const gateway = createGateway(
    settingsSchema.parse({
      REDIS_URL: process.env.TEST_REDIS_URL,
      // Tests assert the rate limit headers; with a slow Redis on a loaded machine, the default would drop them.
      REDIS_TIMEOUT_MS: 10_000,
      NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
      INTERNAL_SECRETS: `k1:${randomBytes(32).toString('hex')}`,
      KEY_PEPPER: testPepper,
      PUBLIC_URL: 'https://api.example.com',
      IDS_ALPHABET: testAlphabet,
      IDENTITY_URL: origin,
      ANONYMOUS_RATE_PER_MINUTE: 10_000,
      FAILED_AUTHENTICATIONS_PER_MINUTE: 10_000,
      ...settings,
    }),
    services,
    Object.fromEntries(Object.keys(services).map((name) => [name, origin])),
  );
  const port = await listen(gateway.server);
  return {
    server: gateway.server,
    base: `http://127.0.0.1:${port}`,
    port,
    async close() {
      for (const server of [gateway.server, service]) {
        server.closeAllConnections();
        server.close();
      }
      await gateway.close();
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}
