// Local crm and campaign, which record what targets call.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { internalMail } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { crmOperations } from '../crm-operations.ts';
import type { TargetContext } from '../target.ts';

interface Call {
  path: string;
  body: Record<string, unknown>;
  caller: Caller;
  idempotencyKey: string | undefined;
}
type Answer = (call: Call) => { status?: number; data?: unknown; code?: string };

/** Starts the services, whose answers a test sets by path. */
export async function startPeers() {
  const signer = createCallerSigner(process.env['INTERNAL_SECRETS'] as string);
  const calls: Call[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    const path = request.url as string;
    const caller = signer.verify(request.headers[callerHeader] as string, request.method as string, path) as Caller;
    const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
    const call = { path, caller, body: JSON.parse(await text(request)), idempotencyKey };
    calls.push(call);
    const { status = 200, ...reply } = answers.get(path)?.(call) ?? { status: 404, code: 'not_found' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const peer = {
    service: 'integrations',
    signer,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const crm = createServiceClient({ ...peer, operations: crmOperations });
  const campaign = createServiceClient({ ...peer, operations: internalMail });
  return {
    url: peer.baseUrl,
    calls,
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    /** The context of a record, in the name of a user with these permissions. */
    context: (permissions: string[]): TargetContext => ({
      ...{
        crm,
        campaign,
        key: 'the-key-of-the-record',
        updateExisting: true,
        isPushed: false,
        seenHash: null,
        settings: {},
      },
      ...{ resolve: () => undefined, idOf: () => undefined },
      as: { tenantId: 7, environment: 'live', userId: 3, teamIds: [5], permissions, requestId: 'run_1' },
    }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Peers = Awaited<ReturnType<typeof startPeers>>;
