import type { tracking } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findVerified } from '../page-domains/find-verified.ts';
import type { RecordTouch } from './touch-recorder.ts';
import type { MessageKey } from './tracking-links.ts';

export const trackClick =
  (tools: Pick<Tools, 'tracking'>, record: RecordTouch): Handler<typeof tracking.trackClick> =>
  async ({ params, caller: { userAgent }, tx, inTenant }) => {
    const found = tools.tracking.readClick(params.token);
    if (!found) throw fail('not_found');
    const { url: target, ...message } = found;
    // Tokens of messages that were sent by an earlier release can contain characters that no header can.
    const url = URL.parse(target)?.href ?? encodeURI(target);
    const automated = await record(inTenant, message, { type: 'link_click', url, userAgent });
    if (automated === undefined) return redirectTo(url);
    // A page of the tenant learns by whom it is visited.
    const leadsToPage = tools.tracking.isPage(url) || (await isOnDomain(tx, url, message));
    return redirectTo(leadsToPage ? tools.tracking.visitUrl(message, { url, automated }) : url);
  };

const redirectTo = (location: string) => ({ body: '', type: 'text/plain', location });

/** Whether an address is on a verified domain of the tenant, where pages have one segment. */
async function isOnDomain(tx: Tx, url: string, { tenantId, environment }: MessageKey): Promise<boolean> {
  const { protocol, hostname, pathname } = URL.parse(url) ?? {};
  if (!protocol?.startsWith('http') || !hostname || pathname?.lastIndexOf('/') !== 0) return false;
  const domain = await findVerified(tx, hostname);
  return domain?.tenantId === tenantId && domain.environment === environment;
}
