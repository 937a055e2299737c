import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findShared } from './shared.ts';

export const getSharedResource =
  (tools: Tools): Handler<typeof sharing.getSharedResource> =>
  async ({ params, caller: { requestId }, tx, inTenant }) =>
    (await findShared({ ...params, requestId, tx, inTenant }, tools)).resource;
