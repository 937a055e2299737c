import { type Caller, type CallerSigner, callerHeader } from '@tandem/caller';
import { internalApiCalls } from '@tandem/integrations-contract';
import type { Upstream } from '../upstream/upstream.ts';
import { RefusedBatchError, type SendCalls } from './api-log.ts';

const timeoutMs = 5_000;
const caller: Caller = {
  type: 'system',
  name: 'gateway',
  environment: 'live',
  permissions: [],
  requestId: 'gateway',
};

/** Sends batches of calls to integrations. */
export function senderOfCalls(upstream: Upstream, signer: CallerSigner): SendCalls {
  const { method, path } = internalApiCalls.recordApiCalls;
  return async (batch) => {
    const { status } = await upstream.send({
      method,
      path,
      headers: {
        [callerHeader]: signer.sign(caller, method, path),
        'content-type': 'application/octet-stream',
      },
      body: batch,
      timeoutMs,
      tenantId: undefined,
      repeatable: true,
    });
    if (status >= 400 && status < 500) throw new RefusedBatchError(`integrations responded with status ${status}`);
    if (status !== 200) throw new Error(`integrations responded with status ${status}`);
  };
}
