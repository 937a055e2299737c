import { signatureDeclined, type signing } from '@tandem/files-contract';
import type { InTenant } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readLink, scopeOfLink } from './links.ts';
import { sendEnd } from './notify.ts';
import { eventOf, writeRequest } from './request.ts';
import { changeSigner, lockSeen, type Person, requireAct } from './signing.ts';
import { record } from './trail.ts';

export const declineSigning =
  (tools: Tools): Handler<typeof signing.declineSigning> =>
  async ({ params, body, caller, inTenant }) => {
    await decline(tools, inTenant, { token: params.token, reason: body.reason, by: caller });
    return { declined: true };
  };

/** Declines for the person of a link, which ends the request for everybody. */
export function decline(
  tools: Tools,
  inTenant: InTenant<Tx, typeof signatureDeclined>,
  { token, reason, by }: { token: string; reason: string; by: Person },
): Promise<void> {
  const link = readLink(tools, token);
  return inTenant(scopeOfLink(link), async ({ tx, emit, schedule }) => {
    const seen = await lockSeen(tx, link, token);
    requireAct(seen);
    const { signer } = seen;
    await changeSigner(tx, signer, {
      status: 'declined',
      declinedAt: new Date(),
      declineReason: reason,
      ip: by.ip ?? null,
      userAgent: by.userAgent?.slice(0, 300) ?? null,
    });
    seen.request = await writeRequest(tx, seen.request.id, { status: 'declined' });
    // The reason is the person's text, which can be erased; the trail cannot.
    await record(tx, seen.request, { type: 'declined', signerId: signer.id, by });
    await sendEnd(tools, { tx, schedule }, seen, { wasDeclined: true, reason: null, except: signer.id });
    const event = eventOf(seen.request);
    emit(signatureDeclined, { ...event, data: { ...event.data, signerId: signer.id } });
  });
}
