import { exportDownloaded, type recordExports } from '@tandem/crm-contract';
import { fileOf, mayReceive, readPage, recipientReader } from '@tandem/exports';
import { fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { ExportInput, type ExportLinks, type ExportTarget, exportJobs } from './export.ts';

interface Tools {
  identity: Pick<Peers['identity'], 'findUser' | 'findUserPermissions'>;
  links: ExportLinks;
  targets: readonly ExportTarget[];
}

export const downloadExport = ({ identity, links, targets }: Tools): Handler<typeof recordExports.downloadExport> => {
  const readRecipient = recipientReader(identity);
  return async ({ params, caller, inTenant }) => {
    const link = links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, jobId } = link;
    const scope = { tenantId, environment };
    const recipient = await readRecipient(link, caller.requestId);
    const actor = { type: 'user' as const, userId: recipient.userId };
    const { input } = await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
      const job = await exportJobs.find(tx.sql, jobId);
      if (!job?.expiresAt || job.expiresAt.getTime() <= Date.now()) throw fail('link_expired');
      const found = ExportInput.parse(job.input);
      const permission = targets.find(({ type }) => type === found.entityType)?.row.permission as string;
      if (!mayReceive(recipient, { ...found, permission, requestedBy: job.userId })) throw fail('not_found');
      // Recorded before the first byte, because an interrupted download has read records too.
      emit(exportDownloaded, { data: { jobId }, record: { id: jobId } });
      return { input: found };
    });
    // Each page is read in a transaction of its own, so that a slow download keeps none open.
    const read = (number: number) => inTenant(scope, ({ tx }) => readPage(tx.sql, jobId, number));
    return {
      ...fileOf({ ...input, read }),
      disposition: { kind: 'attachment', filename: `${input.entityType}-export.${input.format}` },
    };
  };
};
