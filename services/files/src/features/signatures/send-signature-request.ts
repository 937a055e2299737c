import type { signatureRequests } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockPresent } from '../files/file.ts';
import { asRequest, findRequest, lockRequest, requireTransition } from './request.ts';
import { startRequest } from './start.ts';
import { senderOf } from './trail.ts';

export const sendSignatureRequest =
  (tools: Tools): Handler<typeof signatureRequests.sendSignatureRequest> =>
  async ({ params, caller, tx, emit, schedule, ifMatch }) => {
    // The file first, as in deletions of files and versions, which check the status of requests.
    const { request: found } = await findRequest(tx, params.requestId);
    await lockPresent(tx, found.fileId);
    const whole = await lockRequest(tx, params.requestId);
    ifMatch(whole.request);
    requireTransition(whole.request, 'sent');
    if (whole.request.expiresAt.getTime() <= Date.now()) throw fail('request_expired');
    if (!(await tx.fileVersion.count({ where: { id: whole.request.versionId } }))) throw fail('document_changed');
    const urls = await startRequest(tools, { tx, emit, schedule }, whole, senderOf(caller));
    return asRequest(whole, urls);
  };
