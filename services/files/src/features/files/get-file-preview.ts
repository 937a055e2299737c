import type { files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { previewSides } from '../content/previews.ts';
import { readableKind } from '../ocr/readable.ts';
import { findVersion } from '../versions/version.ts';
import { findPresent, linkTo } from './file.ts';

// A preview that is not made by then will not be made, such as one of a file that is older than previews are.
const pendingMs = 3_600_000;

export const getFilePreview =
  (tools: Tools): Handler<typeof files.getFilePreview> =>
  async ({ params, query, caller, tx, redirect }) => {
    const file = await findPresent(tx, params.id);
    const { size, expiresIn, versionId = file.versionId as number } = query;
    const content = await findVersion(tx, { fileId: file.id, versionId });
    const { status, previews, createdAt } = content;
    if (status !== 'available') throw fail('not_available');
    const kind = readableKind(content);
    const canHave = kind === 'pdf' || kind === 'picture';
    const isPending = canHave && previews === null && Date.now() - createdAt.getTime() < pendingMs;
    if (isPending) throw fail('preview_pending');
    if (previews !== 'ready') throw fail('no_preview');
    const { tenantId, environment } = caller as typeof caller & { tenantId: number };
    const shown = { disposition: 'inline', preview: previewSides[size] } as const;
    const linked = { tenantId, environment, fileId: file.id, versionId, ...shown };
    const link = linkTo(tools, { content, linked, seconds: expiresIn });
    if (query.redirect) redirect(link.url);
    return link;
  };
