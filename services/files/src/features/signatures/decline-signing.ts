import type { signatureDeclined, signing } from '@tandem/files-contract';
import type { InTenant } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { endRequest } from './end-request.ts';
import { readLink, scopeOfLink } from './links.ts';
import { changeSigner, lockSeen, type Person, requireAct } from './signing.ts';

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
    await endRequest(tools, { tx, schedule, emit }, seen, {
      status: 'declined',
      // The reason is the person's text, which can be erased; the trail cannot.
      entry: { type: 'declined', signerId: signer.id, by },
      decliner: signer,
    });
  });
}
