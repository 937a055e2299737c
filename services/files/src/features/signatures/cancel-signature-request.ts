import type { signatureRequests } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { endRequest } from './end-request.ts';
import { asRequest, lockRequest, requireTransition } from './request.ts';
import { senderOf } from './trail.ts';

export const cancelSignatureRequest =
  (tools: Tools): Handler<typeof signatureRequests.cancelSignatureRequest> =>
  async ({ params, body, caller, tx, emit, schedule, ifMatch }) => {
    const whole = await lockRequest(tx, params.requestId);
    ifMatch(whole.request);
    requireTransition(whole.request, 'cancelled');
    const { reason = null } = body;
    const { userId, ...by } = senderOf(caller);
    await endRequest(tools, { tx, schedule, emit }, whole, {
      status: 'cancelled',
      entry: { type: 'cancelled', userId, by, details: reason === null ? {} : { reason } },
      reason,
    });
    return asRequest(whole);
  };
