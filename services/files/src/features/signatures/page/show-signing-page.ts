import type { signing } from '@tandem/files-contract';
import type { Handler, Tools } from '../../../handler.ts';
import { readLink, scopeOfLink } from '../links.ts';
import { asSigning, findSeen, isShown, type Seen } from '../signing.ts';
import { type PageInput, signingPage, statePage } from './signing-page.ts';

export const showSigningPage =
  (tools: Tools): Handler<typeof signing.showSigningPage> =>
  ({ params: { token }, query, inTenant }) => {
    const link = readLink(tools, token);
    return inTenant(scopeOfLink(link), async ({ tx }) => {
      const seen = await findSeen(tx, link, token);
      const input: PageInput = {
        view: asSigning(tools, seen, token),
        action: `/sign/${token}`,
        isTest: link.environment === 'sandbox',
        language: seen.request.language,
        codeOf: (id) => tools.ids.encode('signature_field', link.tenantId, id),
        error: query.error,
      };
      return pageOf(seen, input);
    });
  };

function pageOf(seen: Seen, input: PageInput) {
  const { request, signer } = seen;
  if (request.status === 'completed') return statePage(input, 'completed', { showsDocument: true });
  if (signer.status === 'declined') return statePage(input, 'youDeclined');
  if (request.status === 'declined') return statePage(input, 'declined');
  if (request.status === 'cancelled') return statePage(input, 'cancelled', { reason: request.cancelReason });
  if (!isShown(seen)) return statePage(input, 'expired');
  if (signer.status === 'signed')
    return statePage(input, signer.role === 'approver' ? 'approved' : 'signed', { showsDocument: true });
  if (!input.view.canSign && signer.role !== 'viewer') return statePage(input, 'waiting');
  return signingPage(input);
}
