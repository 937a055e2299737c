import type { Emit } from '@tandem/events';
import { signatureSent } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { expireRequestJob } from './expire-request.job.ts';
import { type Inside, type IssuedUrls, notifyTurn } from './notify.ts';
import { submitRequestJob } from './providers/submit-request.job.ts';
import { remindRequestJob } from './remind-request.job.ts';
import { eventOf, writeRequest } from './request.ts';
import { record } from './trail.ts';
import type { WholeRequest } from './whole-request.ts';

const dayMs = 86_400_000;

interface Sender {
  userId: number | null | undefined;
  ip?: string | undefined;
  userAgent?: string | undefined;
}

/**
 * Sends a request that is a draft, within the transaction of `tx`.
 * @throws 429 when the tenant may not send more messages today
 */
export async function startRequest(
  tools: Tools,
  { tx, emit, schedule }: Inside & { emit: Emit<typeof signatureSent> },
  whole: WholeRequest,
  { userId, ...by }: Sender,
): Promise<IssuedUrls> {
  const { id: requestId, expiresAt, reminderEveryDays, provider } = whole.request;
  whole.request = await writeRequest(tx, requestId, { status: 'sent', sentAt: new Date() });
  await record(tx, whole.request, { type: 'sent', userId, by });
  emit(signatureSent, eventOf(whole.request));
  await schedule(expireRequestJob, [{ requestId }], expiresAt);
  if (provider !== 'builtin') {
    await schedule(submitRequestJob, [{ requestId }]);
    return new Map();
  }
  if (reminderEveryDays !== null)
    await schedule(remindRequestJob, [{ requestId }], new Date(Date.now() + reminderEveryDays * dayMs));
  const urls = await notifyTurn(tools, { tx, schedule }, whole);
  if (!urls) throw fail('mail_limit');
  return urls;
}
