import type { providerEvents } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { applyByTenant } from './by-tenant.ts';
import { readInbound, readSigned } from './inbound-mail.ts';
import { configured } from './providers.ts';
import type { MailReport } from './report.ts';

export const receiveInboundMail = (
  tools: Pick<Tools, 'ids' | 'mailer' | 'providers' | 'seal'>,
): Handler<typeof providerEvents.receiveInboundMail, MailReport[]> => ({
  async check({ body }) {
    const { secret } = configured(tools.providers.email);
    return readInbound(tools, await readSigned(secret, body));
  },
  run: async ({ inTenant, found }) => ({ received: await applyByTenant(inTenant, tools, found) }),
});
