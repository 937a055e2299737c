import type { tracking } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import type { RecordTouch } from './touch-recorder.ts';

export const trackClick =
  (tools: Pick<Tools, 'tracking'>, record: RecordTouch): Handler<typeof tracking.trackClick> =>
  async ({ params, caller: { userAgent }, inTenant }) => {
    const found = tools.tracking.readClick(params.token);
    if (!found) throw fail('not_found');
    const { url, ...message } = found;
    await record(inTenant, message, { type: 'link_click', url, userAgent });
    return { body: '', type: 'text/plain', location: url };
  };
