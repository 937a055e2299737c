import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { downloadShared } from './shared.ts';

export const downloadSharedResource =
  (tools: Tools): Handler<typeof sharing.downloadSharedResource> =>
  ({ params, caller, tx, inTenant }) =>
    downloadShared({ ...params, requestId: caller.requestId, tx, inTenant }, caller, tools);
