import type { signing } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { readLink, scopeOfLink } from './links.ts';
import { asSigning, findSeen, isShown } from './signing.ts';

export const getSigning =
  (tools: Tools): Handler<typeof signing.getSigning> =>
  ({ params, inTenant }) => {
    const link = readLink(tools, params.token);
    return inTenant(scopeOfLink(link), async ({ tx }) => {
      const seen = await findSeen(tx, link, params.token);
      if (!isShown(seen)) throw fail('link_expired');
      return asSigning(tools, seen, params.token);
    });
  };
