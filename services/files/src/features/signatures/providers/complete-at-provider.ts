import type { Inside } from '@tandem/jobs';
import type { Tx } from '../../../handler.ts';
import { writeRequest } from '../request.ts';
import type { WholeRequest } from '../whole-request.ts';
import { recordAllActions } from './acted-at-provider.ts';
import { fetchSignedJob } from './fetch-signed.job.ts';

/**
 * Has the signed document of a locked request fetched, which everybody has signed at the provider. A request that has expired
 * meanwhile stays expired until the document is stored, because the provider may have removed it.
 */
export async function completeAtProvider(inside: Inside<Tx>, whole: WholeRequest): Promise<void> {
  const { id: requestId, status } = whole.request;
  const allSignedAt = new Date();
  if (status === 'expired') await writeRequest(inside.tx, requestId, { allSignedAt });
  else {
    await recordAllActions(inside, whole);
    await writeRequest(inside.tx, requestId, { status: 'in_progress', allSignedAt, problem: null });
  }
  await inside.schedule(fetchSignedJob, [{ requestId }]);
}
