import type { tracking } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { isAutomated } from './automated.ts';
import { engage } from './engage.ts';

// A transparent GIF of one pixel.
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const image = { body: pixel, type: 'image/gif' };

/** An unknown token gets the image too, so that a message never shows a broken one. */
export const trackOpen =
  (tools: Tools): Handler<typeof tracking.trackOpen> =>
  async ({ params, caller, inTenant }) => {
    const found = tools.tracking.readOpen(params.token);
    if (!found) return image;
    const { tenantId, environment, messageId } = found;
    await inTenant({ tenantId, environment }, async (inside) => {
      const message = await inside.tx.message.findFirst({ where: { id: messageId }, select: { sentAt: true } });
      if (!message) return;
      const at = new Date();
      const automated = isAutomated({ userAgent: caller.userAgent, sentAt: message.sentAt, at });
      await engage(inside, tools, [{ messageId, type: 'email_open', at, automated }]);
    });
    return image;
  };
