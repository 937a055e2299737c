import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { pagePolicy, sharePage } from './page.ts';
import { findShared } from './shared.ts';

export const showSharePage =
  (tools: Tools): Handler<typeof sharing.showSharePage> =>
  async ({ params, caller: { requestId }, tx, inTenant }) => {
    const { resource, brandName } = await findShared({ ...params, requestId, tx, inTenant }, tools);
    return {
      body: sharePage(resource, `${tools.publicUrl}/s/${params.token}`, brandName),
      type: 'text/html; charset=utf-8',
      contentPolicy: pagePolicy,
    };
  };
