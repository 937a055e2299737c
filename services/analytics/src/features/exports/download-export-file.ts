import { type dataExports, Export, exportFileDownloaded } from '@tandem/analytics-contract';
import { fileOf, mayReceive, Requester, readPage, recipientReader } from '@tandem/exports';
import type { LinkTokens } from '@tandem/sealed';
import { fail } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { type ExportLink, hasFile } from './export.ts';
import type { Sources } from './source.ts';

interface Tools {
  identity: Peers['identity'];
  links: LinkTokens<ExportLink>;
  sources: Sources;
}

const stored = Export.pick({ source: true, format: true }).extend({ requester: Requester });
/** Needed besides the permission to read the records. */
const exportsPermission = 'analytics:read';

export const downloadExportFile = ({
  identity,
  links,
  sources,
}: Tools): Handler<typeof dataExports.downloadExportFile> => {
  const readRecipient = recipientReader(identity);
  return async ({ params, caller, inTenant }) => {
    const link = links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, exportId } = link;
    const scope = { tenantId, environment };
    const recipient = await readRecipient(link, caller.requestId);
    const actor = { type: 'user' as const, userId: recipient.userId };
    const file = await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
      const row = await tx.export.findFirst({ where: { id: exportId } });
      if (!row || !hasFile(row)) throw fail('link_expired');
      const { source, format, requester } = stored.parse(row);
      const { list, narrowedBy } = sources[source];
      const requestedBy = row.createdBy;
      const needed = [exportsPermission, list.permission as string, ...(narrowedBy ? [narrowedBy] : [])];
      const isAllowed = needed.every((permission) =>
        mayReceive(recipient, {
          narrow: permission === exportsPermission ? null : requester.narrow,
          permission,
          requestedBy,
        }),
      );
      if (!isAllowed) throw fail('not_found');
      // Recorded before the first byte, because an interrupted download has read records too.
      emit(exportFileDownloaded, { data: { exportId, source }, record: { id: exportId } });
      return { source, format, columns: row.columns };
    });
    // Each page is read in a transaction of its own, so that a slow download keeps none open.
    const read = (number: number) => inTenant(scope, ({ tx }) => readStored(tx, exportId, number));
    return {
      ...fileOf({ ...file, read }),
      disposition: { kind: 'attachment', filename: `${file.source}-export.${file.format}` },
    };
  };
};

/** A page of the file; undefined after the last one. */
async function readStored(tx: Tx, exportId: number, number: number): Promise<unknown[][] | undefined> {
  const rows = await readPage(tx.sql, exportId, number);
  if (rows) return rows;
  const row = await tx.export.findFirst({ where: { id: exportId } });
  // Otherwise the client would take a part of the file for the whole one.
  if (!row || !hasFile(row)) throw new Error('The file expired while it was downloaded');
  return undefined;
}
