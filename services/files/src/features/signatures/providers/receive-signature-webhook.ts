import { createHash } from 'node:crypto';
import type { Emit } from '@tandem/events';
import { signatureDeclined, signatureSigned, signatureViewed, type signing } from '@tandem/files-contract';
import { ApiError, fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../../handler.ts';
import type { Inside } from '../notify.ts';
import { eventOf, isOpen, lockRequest, type WholeRequest, writeRequest } from '../request.ts';
import { changeSigner } from '../signing.ts';
import { record } from '../trail.ts';
import { readExternalId } from './external-id.ts';
import { fetchSignedJob } from './fetch-signed.job.ts';
import type { ProviderEvent } from './provider.ts';

type Acting = Inside & { emit: Emit<typeof signatureViewed | typeof signatureSigned | typeof signatureDeclined> };

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
      await apply(inside, whole, event);
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
async function apply(inside: Acting, whole: WholeRequest, event: ProviderEvent): Promise<void> {
  const { tx } = inside;
  if (!isOpen(whole.request)) return;
  if (event.type === 'completed') return completeAtProvider(inside, whole, event);
  if (event.type === 'cancelled') {
    await writeRequest(tx, whole.request.id, { problem: 'provider_failed' });
    return record(tx, whole.request, { type: 'provider_failed', details: { event: event.type } });
  }
  const signer = whole.signers.find(({ email }) => email === event.email?.toLowerCase());
  if (!signer || signer.status === 'signed' || signer.status === 'declined') return;
  const now = new Date();
  if (event.type === 'viewed') {
    if (signer.viewedAt) return;
    await changeSigner(tx, signer, { status: 'viewed', viewedAt: now });
  } else if (event.type === 'signed') {
    await changeSigner(tx, signer, { status: 'signed', signedAt: now });
  } else {
    await changeSigner(tx, signer, { status: 'declined', declinedAt: now, declineReason: event.reason ?? null });
  }
  const status = event.type === 'declined' ? 'declined' : 'in_progress';
  whole.request = await writeRequest(tx, whole.request.id, { status });
  await record(tx, whole.request, { type: event.type, signerId: signer.id });
  const { data, record: content } = eventOf(whole.request);
  const definition = { viewed: signatureViewed, signed: signatureSigned, declined: signatureDeclined }[event.type];
  inside.emit(definition, { data: { ...data, signerId: signer.id }, record: content });
}

async function completeAtProvider(
  { tx, schedule }: Pick<Acting, 'tx' | 'schedule'>,
  whole: WholeRequest,
  { ref }: ProviderEvent,
): Promise<void> {
  const requestId = whole.request.id;
  await writeRequest(tx, requestId, {
    status: 'in_progress',
    allSignedAt: new Date(),
    ...(whole.request.providerRef === null && ref !== undefined && { providerRef: ref }),
  });
  await schedule(fetchSignedJob, [{ requestId }]);
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw fail('validation_failed', [{ field: 'body', message: 'Must be JSON' }]);
  }
}
