import { signatureLimits, type signatureRequests } from '@tandem/files-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Inside, type IssuedUrls, sendLinks } from './notify.ts';
import { asRequest, isOpen, lockRequest, turnOf, writeRequest } from './request.ts';
import { record, senderOf } from './trail.ts';
import type { WholeRequest } from './whole-request.ts';

const pauseMs = signatureLimits.remindHours * 3_600_000;

export const remindSigners =
  (tools: Tools): Handler<typeof signatureRequests.remindSigners> =>
  async ({ params, body, caller, tx, schedule, ifMatch }) => {
    const whole = await lockRequest(tx, params.requestId);
    ifMatch(whole.request);
    if (!isOpen(whole.request)) throw fail('transition_refused', [transitionError(whole.request.status, [])]);
    if (whole.request.provider !== 'builtin') throw fail('reminded_by_provider');
    if (body.signerId !== undefined && !whole.signers.some(({ id }) => id === body.signerId)) throw fail('not_found');
    const asked = turnOf(whole).filter(({ id }) => body.signerId === undefined || id === body.signerId);
    if (!asked.length) throw fail('not_your_turn');
    const urls = await remind(tools, { tx, schedule }, whole, {
      ids: asked.map(({ id }) => id),
      pauseMs,
      ...senderOf(caller),
    });
    if (urls === 'mail_limit') throw fail('mail_limit');
    if (!urls) {
      const earliest = Math.min(...asked.map(({ remindedAt }) => (remindedAt?.getTime() ?? 0) + pauseMs));
      throw fail('reminded_recently', [], { retryAfter: (earliest - Date.now()) / 1_000 });
    }
    return asRequest(whole, urls);
  };

interface Reminded {
  ids: readonly number[];
  /** Those who were reminded within this time are left out. */
  pauseMs: number;
  userId?: number | null | undefined;
  ip?: string | undefined;
  userAgent?: string | undefined;
}

/**
 * Sends the links of a locked request again.
 * @returns links that were issued in the sandbox; undefined if everybody was reminded recently, `mail_limit` if the tenant may
 * not send more messages today
 */
export async function remind(
  tools: Tools,
  inside: Inside,
  whole: WholeRequest,
  { ids, pauseMs: pause, userId, ...by }: Reminded,
): Promise<IssuedUrls | 'mail_limit' | undefined> {
  const since = Date.now() - pause;
  const signers = whole.signers.filter(
    ({ id, remindedAt }) => ids.includes(id) && (remindedAt === null || remindedAt.getTime() <= since),
  );
  if (!signers.length) return undefined;
  const { tx } = inside;
  const urls = await sendLinks(tools, inside, whole, { signers, isReminder: true });
  if (!urls) return 'mail_limit';
  const remindedAt = new Date();
  for (const signer of signers) {
    signer.remindedAt = remindedAt;
    if (signer.status === 'pending') signer.status = 'sent';
    await tx.signer.updateMany({ where: { id: signer.id }, data: { remindedAt, status: signer.status } });
    await record(tx, whole.request, { type: 'reminded', signerId: signer.id, userId, by });
  }
  whole.request = await writeRequest(tx, whole.request.id, {});
  return urls;
}
