import type { signing } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { versionOf } from './document.ts';
import { readLink, scopeOfLink } from './links.ts';
import { findSeen, isShown, lockSeen, view } from './signing.ts';

// Browsers display PDF with a page of their own, which a sandbox would prevent.
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'self'";

export const readSigningDocument =
  (tools: Tools): Handler<typeof signing.readSigningDocument> =>
  async ({ params, caller, inTenant }) => {
    const link = readLink(tools, params.token);
    const { version, filename } = await inTenant(scopeOfLink(link), async ({ tx, emit, schedule }) => {
      let seen = await findSeen(tx, link, params.token);
      if (!isShown(seen)) throw fail('link_expired');
      if (seen.signer.status === 'sent') {
        seen = await lockSeen(tx, link, params.token);
        await view(tools, { tx, emit, schedule }, seen, caller);
      }
      const { completedVersionId, versionId } = seen.request;
      return { version: await versionOf(tx, completedVersionId ?? versionId), filename: seen.filename };
    });
    return {
      body: '',
      ranged: { tag: version.checksumSha256, open: (range) => tools.store.get(version.objectKey, range) },
      type: 'application/pdf',
      length: version.size,
      disposition: { kind: 'inline', filename },
      contentPolicy,
    };
  };
