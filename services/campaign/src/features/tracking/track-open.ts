import type { tracking } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import type { RecordTouch } from './touch-recorder.ts';

// A transparent GIF of one pixel.
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const image = { body: pixel, type: 'image/gif' };

/** An unknown token gets the image too, so that a message never shows a broken one. */
export const trackOpen =
  (tools: Pick<Tools, 'tracking'>, record: RecordTouch): Handler<typeof tracking.trackOpen> =>
  async ({ params, caller: { userAgent }, inTenant }) => {
    const message = tools.tracking.readOpen(params.token);
    if (message) await record(inTenant, message, { type: 'email_open', userAgent });
    return image;
  };
