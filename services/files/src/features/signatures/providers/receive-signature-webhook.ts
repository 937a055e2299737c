import { createHash } from 'node:crypto';
import type { Emit } from '@tandem/events';
import type { signatureSigned, signatureViewed, signing } from '@tandem/files-contract';
import { ApiError, fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../../handler.ts';
import { type Ending, endRequest } from '../end-request.ts';
import { isExpired, isOpen, lockRequest, writeRequest } from '../request.ts';
import { changeSigner } from '../signing.ts';
import type { WholeRequest } from '../whole-request.ts';
import { recordAction } from './acted-at-provider.ts';
import { completeAtProvider } from './complete-at-provider.ts';
import { readExternalId } from './external-id.ts';
import type { ProviderEvent } from './provider.ts';

type Acting = Ending & { emit: Emit<typeof signatureViewed | typeof signatureSigned> };

export const receiveSignatureWebhook =
  (tools: Tools): Handler<typeof signing.receiveSignatureWebhook> =>
  async ({ params, body, inTenant }) => {
    const provider = tools.providers[params.provider];
    if (!provider) throw fail('not_found');
    if (!provider.isAuthentic(body.bytes, body.headers)) throw fail('invalid_signature');
    const event = provider.read(readJson(body.bytes));
    const named = event?.externalId === undefined ? undefined : readExternalId(tools, event.externalId);
    // Other documents of the same account are none of ours.
    if (!event || !named) return { received: false };
    const digest = createHash('sha256').update(body.bytes).digest('hex');
    const { tenantId, environment, requestId } = named;
    const work = inTenant({ tenantId, environment }, async (inside) => {
      if (!(await isNew(inside.tx, params.provider, digest))) return false;
      const whole = await lockRequest(inside.tx, requestId);
      if (whole.request.provider !== params.provider) return false;
      // Events of a document that an earlier attempt left over, which nobody was asked to sign.
      if (whole.request.providerRef !== null && event.ref !== whole.request.providerRef) return false;
      await apply(tools, inside, whole, event);
      return true;
    });
    return { received: await work.catch(ignoreMissing) };
  };

/** A request that was removed, or of a closed tenant, gets no events; its provider must not repeat them. */
function ignoreMissing(error: unknown): false {
  if (error instanceof ApiError && error.code === 'not_found') return false;
  throw error;
}

async function isNew(tx: Tx, provider: string, digest: string): Promise<boolean> {
  const rows = await tx.sql`INSERT INTO signature_webhook (provider, digest) VALUES (${provider}, ${digest})
    ON CONFLICT DO NOTHING RETURNING digest`;
  return rows.length > 0;
}

/** Applies an event to a locked request. Events may arrive out of order: one that changes nothing is ignored. */
async function apply(tools: Tools, inside: Acting, whole: WholeRequest, event: ProviderEvent): Promise<void> {
  const { tx } = inside;
  const isLate = event.type === 'completed' && isExpired(whole.request);
  if (!isOpen(whole.request) && !isLate) return;
  if (event.type === 'cancelled') {
    // Drafts that are left over are removed too, perhaps before the request has its id at the provider.
    if (whole.request.providerRef === null) return;
    const entry = { type: 'cancelled', details: { by: whole.request.provider } } as const;
    return endRequest(tools, inside, whole, { status: 'cancelled', entry, isByProvider: true });
  }
  // People act on it, so it was sent, although the job that sent it has not stored its id yet.
  if (whole.request.providerRef === null && event.ref !== undefined)
    whole.request = await writeRequest(tx, whole.request.id, { providerRef: event.ref });
  if (event.type === 'completed') return completeAtProvider(inside, whole);
  const signer = whole.signers.find(({ email }) => email === event.email?.toLowerCase());
  if (!signer || signer.status === 'signed' || signer.status === 'declined') return;
  if (event.type === 'viewed' && signer.viewedAt) return;
  if (event.type !== 'declined') return recordAction(inside, whole, signer, event.type);
  await changeSigner(tx, signer, {
    status: 'declined',
    declinedAt: new Date(),
    declineReason: event.reason ?? null,
  });
  const entry = { type: 'declined', signerId: signer.id } as const;
  await endRequest(tools, inside, whole, { status: 'declined', entry, decliner: signer, isByProvider: true });
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw fail('validation_failed', [{ field: 'body', message: 'Must be JSON' }]);
  }
}
