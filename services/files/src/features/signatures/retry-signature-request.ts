import type { signatureRequests } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { completeRequestJob } from './complete-request.job.ts';
import { fetchSignedJob } from './providers/fetch-signed.job.ts';
import { submitRequestJob } from './providers/submit-request.job.ts';
import { asRequest, isOpen, isWaitingForDocument, lockRequest, writeRequest } from './request.ts';

export const retrySignatureRequest: Handler<typeof signatureRequests.retrySignatureRequest> = async ({
  params,
  tx,
  schedule,
  ifMatch,
}) => {
  const whole = await lockRequest(tx, params.requestId);
  ifMatch(whole.request);
  const { id: requestId, problem, provider } = whole.request;
  const isComplete = isWaitingForDocument(whole.request);
  if (problem === null || !(isComplete || isOpen(whole.request))) throw fail('no_problem');
  whole.request = await writeRequest(tx, requestId, { problem: null });
  const complete = provider === 'builtin' ? completeRequestJob : fetchSignedJob;
  await schedule(isComplete ? complete : submitRequestJob, [{ requestId }]);
  return asRequest(whole);
};
