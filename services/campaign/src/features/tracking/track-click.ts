import type { tracking } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { isAutomated } from './automated.ts';
import { engage } from './engage.ts';

export const trackClick =
  (tools: Tools): Handler<typeof tracking.trackClick> =>
  async ({ params, caller, inTenant }) => {
    const found = tools.tracking.readClick(params.token);
    if (!found) throw fail('not_found');
    const { tenantId, environment, messageId, url } = found;
    const location = await inTenant({ tenantId, environment }, async (inside) => {
      const message = await inside.tx.message.findFirst({ where: { id: messageId }, select: { sentAt: true } });
      if (!message) return url;
      const at = new Date();
      const automated = isAutomated({ userAgent: caller.userAgent, sentAt: message.sentAt, at });
      await engage(inside, tools, [{ messageId, type: 'link_click', at, automated, url }]);
      return tools.tracking.visitUrl({ tenantId, environment, messageId }, { url, automated });
    });
    return { body: '', type: 'text/plain', location };
  };
