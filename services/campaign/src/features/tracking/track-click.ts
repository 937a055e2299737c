import type { tracking } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import type { RecordTouch } from './touch-recorder.ts';

export const trackClick =
  (tools: Pick<Tools, 'tracking'>, record: RecordTouch): Handler<typeof tracking.trackClick> =>
  async ({ params, caller: { userAgent }, inTenant }) => {
    const found = tools.tracking.readClick(params.token);
    if (!found) throw fail('not_found');
    const { url: target, ...message } = found;
    // Tokens of messages that were sent by an earlier release can contain characters that no header can.
    const url = URL.parse(target)?.href ?? encodeURI(target);
    const automated = await record(inTenant, message, { type: 'link_click', url, userAgent });
    // A page of the tenant learns by whom it is visited.
    const location = automated === undefined ? url : tools.tracking.visitUrl(message, { url, automated });
    return { body: '', type: 'text/plain', location };
  };
