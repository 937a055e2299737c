import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { downloadShared } from './shared.ts';

export const followShareDownload =
  (tools: Tools): Handler<typeof sharing.followShareDownload> =>
  async ({ params, caller, isHead, tx, inTenant }) => {
    const request = { ...params, requestId: caller.requestId, isHead, tx, inTenant };
    const { url } = await downloadShared(request, caller, tools);
    // Stored URLs may contain non-ASCII characters, which headers do not allow; `href` percent-encodes them.
    return { body: '', type: 'text/html; charset=utf-8', location: new URL(url).href };
  };
