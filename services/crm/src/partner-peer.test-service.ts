import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The partner that the partner service of tests has in every tenant. */
export const knownPartnerId = '31';

/** Starts a partner service that knows one partner. */
export async function partnerPeer() {
  const server = createServer(({ url }, response) => {
    const isKnown = url === `/internal/partners/${knownPartnerId}`;
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { data: { id: knownPartnerId, status: 'approved' } } : { code: 'not_found' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
