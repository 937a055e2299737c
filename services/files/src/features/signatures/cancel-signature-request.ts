import { signatureCancelled, type signatureRequests } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { senderOf } from './create-signature-request.ts';
import { sendEnd } from './notify.ts';
import { withdrawRequestJob } from './providers/withdraw-request.job.ts';
import { asRequest, eventOf, lockRequest, requireTransition, writeRequest } from './request.ts';
import { record } from './trail.ts';

export const cancelSignatureRequest =
  (tools: Tools): Handler<typeof signatureRequests.cancelSignatureRequest> =>
  async ({ params, body, caller, tx, emit, schedule, ifMatch }) => {
    const whole = await lockRequest(tx, params.requestId);
    ifMatch(whole.request);
    requireTransition(whole.request, 'cancelled');
    const { reason = null } = body;
    const { userId, ...by } = senderOf(caller);
    whole.request = await writeRequest(tx, whole.request.id, {
      status: 'cancelled',
      cancelReason: reason,
      problem: null,
    });
    await record(tx, whole.request, { type: 'cancelled', userId, by, details: reason === null ? {} : { reason } });
    if (whole.request.provider === 'builtin')
      await sendEnd(tools, { tx, schedule }, whole, { wasDeclined: false, reason });
    else await schedule(withdrawRequestJob, [{ requestId: whole.request.id }]);
    emit(signatureCancelled, eventOf(whole.request));
    return asRequest(whole);
  };
