import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { downloadShared } from './shared.ts';

export const followShareDownload =
  (tools: Tools): Handler<typeof sharing.followShareDownload> =>
  async ({ params, caller, tx, inTenant }) => {
    const { url } = await downloadShared({ ...params, tx, inTenant }, caller, tools);
    // Letters beyond ASCII stand in an address as people write it, but not in a header.
    return { body: '', type: 'text/html; charset=utf-8', location: new URL(url).href };
  };
